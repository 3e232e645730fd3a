// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cassert>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <cblas.h>

#include <hocket/kernels/view.hpp>

namespace hocket::detail {

/// The most that the library counts.
inline constexpr auto max_blas = static_cast<std::size_t>(std::numeric_limits<blasint>::max());

/// One thread for each call of the library, since lanes share the work. The setting belongs to the
/// process: the library has no other.
inline void use_one_thread_for_each_call() {
  static const bool done = [] {
    openblas_set_num_threads(1);
    return true;
  }();
  static_cast<void>(done);
}

/// The distance of two rows as the library wants it: at least one, also where there is one row.
template <class T>
[[nodiscard]] blasint leading(const buffer_view<T, 2>& matrix) {
  assert(matrix.extent(1) <= 1 || matrix.stride(1) == 1);
  const std::size_t stride = matrix.extent(0) > 1 ? matrix.stride(0) : matrix.extent(1);
  assert(stride <= max_blas);
  return static_cast<blasint>(std::max<std::size_t>(stride, 1));
}

/// An extent as the library counts.
template <class T>
[[nodiscard]] blasint count_of(const buffer_view<T, 2>& matrix, std::size_t dimension) {
  return static_cast<blasint>(matrix.extent(dimension));
}

/// A matrix for the library: the view itself, or a copy where its rows lie so far apart that the
/// library cannot count the distance.
template <class T>
class countable {
 public:
  explicit countable(const buffer_view<T, 2>& matrix) : given_(matrix), used_(matrix) {
    if (matrix.extent(0) <= 1 || matrix.stride(0) <= max_blas) return;
    copy_.resize(matrix.size());
    for (std::size_t i = 0; i < matrix.extent(0); ++i) {
      std::copy_n(&matrix(i, 0), matrix.extent(1), copy_.data() + i * matrix.extent(1));
    }
    used_ = buffer_view<T, 2>(copy_.data(), {matrix.extent(0), matrix.extent(1)},
                              {matrix.extent(1), 1});
  }

  [[nodiscard]] const buffer_view<T, 2>& get() const { return used_; }

  /// Brings what was computed to where it belongs.
  void store() const {
    if (copy_.empty()) return;
    for (std::size_t i = 0; i < given_.extent(0); ++i) {
      std::copy_n(copy_.data() + i * given_.extent(1), given_.extent(1), &given_(i, 0));
    }
  }

 private:
  buffer_view<T, 2> given_, used_;
  std::vector<std::remove_const_t<T>> copy_;
};

}  // namespace hocket::detail
