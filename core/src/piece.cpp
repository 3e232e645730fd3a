// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/core/piece.hpp>

namespace hocket {

bool same_section(const box& a, const box& b, std::size_t along) noexcept {
  for (std::size_t d = 0; d < a.rank(); ++d) {
    if (d != along && (a.begin[d] != b.begin[d] || a.end[d] != b.end[d])) return false;
  }
  return true;
}

bool section_before(const box& a, const box& b, std::size_t along) noexcept {
  for (std::size_t d = 0; d < a.rank(); ++d) {
    if (d == along) continue;
    if (a.begin[d] != b.begin[d]) return a.begin[d] < b.begin[d];
    if (a.end[d] != b.end[d]) return a.end[d] < b.end[d];
  }
  return a.begin[along] < b.begin[along];
}

}  // namespace hocket
