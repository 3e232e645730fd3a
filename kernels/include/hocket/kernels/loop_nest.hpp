// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <span>
#include <type_traits>

#include <boost/container/small_vector.hpp>
#include <hocket/core/shape.hpp>

namespace hocket {

/// The nested loops over one index space in which each of N arrays has strides of its own.
/// Dimensions that are adjacent in memory in all N arrays are one loop, so that the innermost loop
/// is as long as it can be. Positions are counted in row-major order of the index space. Without N
/// it is for as many arrays as are given strides.
template <std::size_t N = std::dynamic_extent>
class loop_nest {
  /// What is there for each array.
  template <class T>
  using each = std::conditional_t<N == std::dynamic_extent, boost::container::small_vector<T, 8>,
                                  std::array<T, N == std::dynamic_extent ? 0 : N>>;

 public:
  using offsets = each<std::size_t>;

  loop_nest(const index_list& extents, const each<const index_list*>& strides)
      : arrays_(strides.size()) {
    for (std::size_t d = 0; d < extents.size(); ++d) {
      size_ *= extents[d];
      if (extents[d] != 1) add({extents[d], strides_of(strides, d)});
    }
    if (loops_.empty()) {
      loop single{1, zeros()};
      std::ranges::fill(single.strides, 1);
      loops_.push_back(single);
    }
    dense_ = std::ranges::all_of(run_strides(), [](std::size_t stride) { return stride == 1; });
    if (size_ == 0) loops_.back().extent = 0;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// How many positions the innermost loop has.
  [[nodiscard]] std::size_t run_length() const noexcept { return loops_.back().extent; }
  [[nodiscard]] const offsets& run_strides() const noexcept { return loops_.back().strides; }

  /// True if all arrays are contiguous along the innermost loop.
  [[nodiscard]] bool dense() const noexcept { return dense_; }

  /// Calls f(offsets, count) for each piece of the innermost loop in the positions [begin, end), in
  /// order; offsets are those of the piece's first element in each array.
  template <class F>
  void for_runs(std::size_t begin, std::size_t end, F&& f) const {
    assert(begin <= end && end <= size_);
    if (begin == end) return;
    boost::container::small_vector<std::size_t, 4> index(loops_.size());
    for (std::size_t d = loops_.size(), rest = begin; d-- > 0; rest /= loops_[d].extent) {
      index[d] = rest % loops_[d].extent;
    }
    const std::size_t last = loops_.size() - 1;
    while (begin < end) {
      const std::size_t count = std::min(end - begin, run_length() - index[last]);
      f(offsets_at(index), count);
      begin += count;
      index[last] += count;
      for (std::size_t d = last; d > 0 && index[d] == loops_[d].extent; --d) {
        index[d] = 0;
        ++index[d - 1];
      }
    }
  }

 private:
  struct loop {
    std::size_t extent;
    offsets strides;
  };

  [[nodiscard]] offsets zeros() const {
    offsets made{};
    if constexpr (N == std::dynamic_extent) made.resize(arrays_);
    return made;
  }

  [[nodiscard]] offsets strides_of(const each<const index_list*>& strides, std::size_t d) const {
    offsets at = zeros();
    for (std::size_t n = 0; n < arrays_; ++n) at[n] = (*strides[n])[d];
    return at;
  }

  void add(const loop& inner) {
    if (!loops_.empty()) {
      loop& outer = loops_.back();
      bool adjacent = true;
      for (std::size_t n = 0; n < arrays_; ++n) {
        adjacent = adjacent && outer.strides[n] == inner.strides[n] * inner.extent;
      }
      if (adjacent) {
        outer = {outer.extent * inner.extent, inner.strides};
        return;
      }
    }
    loops_.push_back(inner);
  }

  template <class Index>
  [[nodiscard]] offsets offsets_at(const Index& index) const {
    offsets at = zeros();
    for (std::size_t d = 0; d < loops_.size(); ++d) {
      for (std::size_t n = 0; n < arrays_; ++n) at[n] += index[d] * loops_[d].strides[n];
    }
    return at;
  }

  std::size_t arrays_;
  boost::container::small_vector<loop, 4> loops_;
  std::size_t size_ = 1;
  bool dense_ = true;
};

}  // namespace hocket
