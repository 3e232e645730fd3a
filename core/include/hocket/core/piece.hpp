// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include <hocket/core/shape.hpp>

namespace hocket {

/// A box and what is true of all of it.
template <class State>
struct piece {
  box region;
  State state;
};

/// True if a and b have the same borders in every dimension but `along`.
[[nodiscard]] bool same_section(const box& a, const box& b, std::size_t along) noexcept;

/// Orders boxes of the same section behind one another, in the order in which they lie `along`.
[[nodiscard]] bool section_before(const box& a, const box& b, std::size_t along) noexcept;

/// Joins neighbours of equal state that make up a box together, until there are none. The pieces
/// come out in the order of their first elements.
template <class Pieces>
void coalesce(Pieces& pieces) {
  if (pieces.size() < 2) return;
  const auto join_along = [&pieces](std::size_t along) {
    std::sort(pieces.begin(), pieces.end(), [along](const auto& a, const auto& b) {
      return section_before(a.region, b.region, along);
    });
    std::size_t last = 0;
    for (std::size_t i = 1; i < pieces.size(); ++i) {
      auto& a = pieces[last];
      auto& b = pieces[i];
      if (same_section(a.region, b.region, along) && a.region.end[along] == b.region.begin[along] &&
          a.state == b.state) {
        a.region.end[along] = b.region.end[along];
      } else if (++last != i) {
        pieces[last] = std::move(b);
      }
    }
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(last) + 1, pieces.end());
  };
  // Joining along one dimension can make neighbours along another, so once around is not enough.
  for (std::size_t before = 0; pieces.size() > 1 && before != pieces.size();) {
    before = pieces.size();
    for (std::size_t along = pieces.front().region.rank(); along-- > 0;) join_along(along);
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const auto& a, const auto& b) { return a.region.begin < b.region.begin; });
}

}  // namespace hocket
