// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <string>

#include <boost/container/small_vector.hpp>

namespace hocket {

/// One number for each dimension, slowest first; no upper limit on the rank.
using index_list = boost::container::small_vector<std::size_t, 3>;

/// The product of all extents; 1 for rank 0. Throws usage_error if it does not fit a size_t.
[[nodiscard]] std::size_t volume(const index_list& extents);

/// Strides, in elements, of a dense row-major array.
[[nodiscard]] index_list dense_strides(const index_list& extents);

/// "32 x 16"; "scalar" for rank 0.
[[nodiscard]] std::string to_string(const index_list& extents);

/// A rectangular part of an index space: begin inclusive, end exclusive, in each dimension.
struct box {
  index_list begin;
  index_list end;

  /// The box that covers all of extents.
  [[nodiscard]] static box whole(const index_list& extents);

  [[nodiscard]] std::size_t rank() const noexcept { return begin.size(); }
  [[nodiscard]] bool empty() const noexcept;
  [[nodiscard]] index_list extents() const;
  [[nodiscard]] std::size_t elements() const;

  friend bool operator==(const box&, const box&) = default;
};

[[nodiscard]] bool overlap(const box& a, const box& b) noexcept;
[[nodiscard]] bool contains(const box& outer, const box& inner) noexcept;
[[nodiscard]] box intersection(const box& a, const box& b);

/// The part of a that is not in b, as disjoint boxes (at most two for each dimension).
[[nodiscard]] boost::container::small_vector<box, 4> difference(const box& a, const box& b);

/// "[0:32, 16:20]".
[[nodiscard]] std::string to_string(const box& b);

}  // namespace hocket
