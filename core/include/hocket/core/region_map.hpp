// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

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

/// A state for every element of a box, kept by pieces: disjoint boxes that partition it. All
/// regions that are asked about lie in that box. Most often one piece is all of it.
template <class State>
class region_map {
 public:
  region_map(const box& whole, State initial) {
    if (!whole.empty()) pieces_.push_back({whole, std::move(initial)});
  }

  [[nodiscard]] std::size_t size() const noexcept { return pieces_.size(); }

  /// Calls function(box, state) for the part of each piece that lies in region.
  template <class Function>
  void visit(const box& region, Function&& function) const {
    if (pieces_.size() == 1) {
      if (!region.empty()) function(region, pieces_.front().state);
      return;
    }
    visit_many(region, function);
  }

  /// True if holds(state) for every piece that has a part in region.
  template <class Predicate>
  [[nodiscard]] bool all(const box& region, Predicate&& holds) const {
    if (pieces_.size() == 1) return region.empty() || holds(pieces_.front().state);
    return all_of_many(region, holds);
  }

  /// Calls function(state) for each piece that has a part in region.
  template <class Function>
  void each(const box& region, Function&& function) const {
    (void)all(region, [&](const State& state) {
      function(state);
      return true;
    });
  }

  /// True if holds(state) for some piece.
  template <class Predicate>
  [[nodiscard]] bool any(Predicate&& holds) const {
    for (const auto& p : pieces_) {
      if (holds(p.state)) return true;
    }
    return false;
  }

  /// The state of the piece that is all of the box; null if there are several.
  [[nodiscard]] State* only() { return pieces_.size() == 1 ? &pieces_.front().state : nullptr; }
  [[nodiscard]] const State* only() const { return const_cast<region_map*>(this)->only(); }

  /// The state of the piece that is region; null if there is none.
  [[nodiscard]] State* exact(const box& region) {
    if (pieces_.size() == 1) {
      return contains(region, pieces_.front().region) ? &pieces_.front().state : nullptr;
    }
    return exact_of_many(region);
  }

  /// Calls function(state) for the pieces in region, cut so that none reaches out of it.
  template <class Function>
  void change(const box& region, Function&& function) {
    if (State* whole = exact(region)) {
      function(*whole);
    } else {
      change_many(region, function);
    }
  }

  /// Calls function(state) for every piece.
  template <class Function>
  void change_all(Function&& function) {
    for (auto& p : pieces_) function(p.state);
  }

  /// One piece takes the place of all that is in region.
  void replace(const box& region, State state) {
    if (region.empty()) return;
    if (State* whole = exact(region)) {
      *whole = std::move(state);
      return;
    }
    change_many(region, [](State&) {});
    const auto gone = std::remove_if(pieces_.begin(), pieces_.end(),
                                     [&](const auto& p) { return overlap(p.region, region); });
    pieces_.erase(gone, pieces_.end());
    pieces_.push_back({region, std::move(state)});
  }

  void merge_equal() { coalesce(pieces_); }

 private:
  // The loops over many pieces are kept out of the way of the common case.
  template <class Function>
  [[gnu::noinline]] void visit_many(const box& region, Function& function) const {
    for (const auto& p : pieces_) {
      if (overlap(p.region, region)) function(intersection(p.region, region), p.state);
    }
  }

  template <class Predicate>
  [[gnu::noinline]] bool all_of_many(const box& region, Predicate& holds) const {
    return std::all_of(pieces_.begin(), pieces_.end(),
                       [&](const auto& p) { return !overlap(p.region, region) || holds(p.state); });
  }

  [[gnu::noinline]] State* exact_of_many(const box& region) {
    for (auto& p : pieces_) {
      if (p.region == region) return &p.state;
    }
    return nullptr;
  }

  template <class Function>
  [[gnu::noinline]] void change_many(const box& region, Function&& function) {
    // The parts that are cut off go behind these, and are not in region.
    const std::size_t count = pieces_.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (!overlap(pieces_[i].region, region)) continue;
      if (!contains(region, pieces_[i].region)) cut(i, region);
      function(pieces_[i].state);
    }
  }

  /// Cuts piece i down to the region; the rest become pieces of their own.
  void cut(std::size_t i, const box& region) {
    for (auto& rest : difference(pieces_[i].region, region)) {
      pieces_.push_back({std::move(rest), pieces_[i].state});
    }
    pieces_[i].region = intersection(pieces_[i].region, region);
  }

  std::vector<piece<State>> pieces_;
};

}  // namespace hocket
