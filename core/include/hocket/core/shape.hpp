// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include <boost/container/small_vector.hpp>

#include <hocket/core/short_list.hpp>

namespace hocket {

/// One number for each dimension, slowest first; no upper limit on the rank.
using index_list = short_list<std::size_t, 3>;

namespace detail {
[[noreturn]] void throw_uncountable(const index_list& extents);
}

/// The product of all extents; 1 for rank 0. Throws usage_error if it does not fit a size_t.
[[nodiscard]] inline std::size_t volume(const index_list& extents) {
  std::size_t product = 1;
  for (const std::size_t extent : extents) {
    if (__builtin_mul_overflow(product, extent, &product)) detail::throw_uncountable(extents);
  }
  return product;
}

/// Strides, in elements, of a dense row-major array.
[[nodiscard]] inline index_list dense_strides(const index_list& extents) {
  index_list strides(extents.size(), 1);
  for (std::size_t d = extents.size(); d-- > 1;) strides[d - 1] = strides[d] * extents[d];
  return strides;
}

/// "32 x 16"; "scalar" for rank 0.
[[nodiscard]] std::string to_string(const index_list& extents);

/// A rectangular part of an index space: begin inclusive, end exclusive, in each dimension.
struct box {
  index_list begin;
  index_list end;

  /// The box that covers all of extents.
  [[nodiscard]] static box whole(const index_list& extents) {
    return {index_list(extents.size(), 0), extents};
  }

  [[nodiscard]] std::size_t rank() const noexcept { return begin.size(); }

  [[nodiscard]] bool empty() const noexcept {
    const std::size_t* const first = begin.data();
    const std::size_t* const last = end.data();
    for (std::size_t d = 0; d < begin.size(); ++d) {
      if (first[d] >= last[d]) return true;
    }
    return false;
  }

  [[nodiscard]] index_list extents() const {
    index_list made(rank());
    for (std::size_t d = 0; d < rank(); ++d) made[d] = end[d] > begin[d] ? end[d] - begin[d] : 0;
    return made;
  }

  [[nodiscard]] std::size_t elements() const { return volume(extents()); }

  friend bool operator==(const box&, const box&) = default;
};

/// True if some element is in both.
[[nodiscard]] inline bool overlap(const box& a, const box& b) noexcept {
  const std::size_t* const first_a = a.begin.data();
  const std::size_t* const last_a = a.end.data();
  const std::size_t* const first_b = b.begin.data();
  const std::size_t* const last_b = b.end.data();
  for (std::size_t d = 0; d < a.rank(); ++d) {
    if (std::max(first_a[d], first_b[d]) >= std::min(last_a[d], last_b[d])) return false;
  }
  return true;
}

/// True if every element of inner is in outer.
[[nodiscard]] inline bool contains(const box& outer, const box& inner) noexcept {
  const std::size_t* const first = inner.begin.data();
  const std::size_t* const last = inner.end.data();
  for (std::size_t d = 0; d < outer.rank(); ++d) {
    if (first[d] < outer.begin[d] || last[d] > outer.end[d]) return inner.empty();
  }
  return true;
}

[[nodiscard]] box intersection(const box& a, const box& b);

/// The least box that has all of both, none of which is empty.
[[nodiscard]] box bounding_box(const box& a, const box& b);

/// The part of a that is not in b, as disjoint boxes (at most two for each dimension).
[[nodiscard]] boost::container::small_vector<box, 4> difference(const box& a, const box& b);

/// "[0:32, 16:20]".
[[nodiscard]] std::string to_string(const box& b);

}  // namespace hocket
