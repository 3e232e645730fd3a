// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <limits>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

#include <cblas.h>

#include <hocket/kernels/view.hpp>

namespace hocket::detail {

/// The most that the library counts.
inline constexpr auto max_blas = static_cast<std::size_t>(std::numeric_limits<blasint>::max());

/// While one lives, each call of the library uses one thread, since lanes share the work. The
/// library has one setting for the process: the last that goes puts back what the first has found.
class one_thread_for_each_call {
 public:
  one_thread_for_each_call() {
    const std::lock_guard lock(guard_);
    if (living_++ > 0) return;
    found_ = openblas_get_num_threads();
    openblas_set_num_threads(1);
  }
  one_thread_for_each_call(const one_thread_for_each_call&) = delete;
  one_thread_for_each_call& operator=(const one_thread_for_each_call&) = delete;
  ~one_thread_for_each_call() {
    const std::lock_guard lock(guard_);
    if (--living_ == 0) openblas_set_num_threads(found_);
  }

 private:
  inline static constinit std::mutex guard_;  // for what follows, and the library's setting
  inline static std::size_t living_ = 0;
  inline static int found_ = 1;
};

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
