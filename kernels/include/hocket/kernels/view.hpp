// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include <hocket/core/dtype.hpp>
#include <hocket/core/shape.hpp>
#include <hocket/kernels/argument.hpp>
#include <hocket/kernels/loop_nest.hpp>

namespace hocket {

namespace detail {

/// Throws usage_error: there are gaps between the rows of a view that is gone through in one go.
[[noreturn]] void refuse_gaps();

}  // namespace detail

/// A region of a buffer with R dimensions, as the body of a kernel sees it. Indices are relative to
/// the region. T is const in an argument that is only read. A plain value; owns nothing.
template <class T, std::size_t R = 1>
class buffer_view {
 public:
  static constexpr std::size_t rank = R;
  using value_type = std::remove_const_t<T>;
  using sizes = std::array<std::size_t, R>;

  buffer_view(T* data, const sizes& extents, const sizes& strides) noexcept
      : data_(data), extents_(extents), strides_(strides) {}

  explicit buffer_view(const buffer_argument& argument) noexcept
      : data_(static_cast<T*>(argument.base)) {
    assert(argument.type == element_type_of<value_type> && argument.extents.size() == R);
    for (std::size_t d = 0; d < R; ++d) {
      extents_[d] = argument.extents[d];
      strides_[d] = argument.strides[d];
    }
  }

  template <std::convertible_to<std::size_t>... Indices>
  requires(sizeof...(Indices) == R) [[nodiscard]] T& operator()(Indices... indices) const noexcept {
    return data_[offset(std::index_sequence_for<Indices...>{},
                        sizes{static_cast<std::size_t>(indices)...})];
  }
  [[nodiscard]] T& operator[](std::size_t index) const noexcept requires(R == 1) {
    return (*this)(index);
  }

  [[nodiscard]] std::size_t extent(std::size_t dimension) const noexcept {
    return extents_[dimension];
  }
  /// The distance of neighbours along a dimension, in elements.
  [[nodiscard]] std::size_t stride(std::size_t dimension) const noexcept {
    return strides_[dimension];
  }
  [[nodiscard]] std::size_t size() const noexcept {
    std::size_t product = 1;
    for (std::size_t extent : extents_) product *= extent;
    return product;
  }

  /// True if the elements lie one after the other, the last dimension fastest.
  [[nodiscard]] bool contiguous() const noexcept {
    std::size_t expected = 1;
    for (std::size_t d = R; d-- > 0;) {
      if (extents_[d] != 1 && strides_[d] != expected) return size() == 0;
      expected *= extents_[d];
    }
    return true;
  }

  [[nodiscard]] T* data() const noexcept { return data_; }

  /// All elements in order, of a contiguous view only. Throws usage_error if there are gaps between
  /// rows, as in a tile.
  [[nodiscard]] T* begin() const {
    if (!contiguous()) [[unlikely]]
      detail::refuse_gaps();
    return data_;
  }
  [[nodiscard]] T* end() const { return begin() + size(); }

  /// Calls f(T&) for each element in order, also where there are gaps between rows.
  template <class F>
  void for_each(F&& f) const {
    if (size() == 0) return;
    sizes at{};
    for (;;) {
      T* const row = data_ + offset(std::make_index_sequence<R>{}, at);
      for (std::size_t i = 0; i < extents_[R - 1]; ++i) f(row[i * strides_[R - 1]]);
      std::size_t d = R - 1;
      while (d > 0 && ++at[d - 1] == extents_[d - 1]) at[--d] = 0;
      if (d == 0) return;
    }
  }

 private:
  template <std::size_t... D>
  [[nodiscard]] std::size_t offset(std::index_sequence<D...>, const sizes& at) const noexcept {
    assert(((at[D] < extents_[D]) && ...));
    return (std::size_t{0} + ... + (at[D] * strides_[D]));
  }

  T* data_ = nullptr;
  sizes extents_{};
  sizes strides_{};
};

/// A region of a buffer with any number of dimensions, for a body that treats all ranks alike. A
/// plain value that refers to the argument it is made from.
template <class T>
class strided_view {
 public:
  using value_type = std::remove_const_t<T>;

  explicit strided_view(const buffer_argument& argument) noexcept
      : data_(static_cast<T*>(argument.base)),
        extents_(&argument.extents),
        strides_(&argument.strides) {
    assert(argument.type == element_type_of<value_type>);
    assert(argument.extents.size() == argument.strides.size());
  }
  explicit strided_view(const buffer_argument&&) = delete;

  [[nodiscard]] T& operator()(std::span<const std::size_t> indices) const noexcept {
    assert(indices.size() == rank());
    std::size_t offset = 0;
    for (std::size_t d = 0; d < indices.size(); ++d) {
      assert(indices[d] < extent(d));
      offset += indices[d] * (*strides_)[d];
    }
    return data_[offset];
  }

  [[nodiscard]] std::size_t rank() const noexcept { return extents_->size(); }
  [[nodiscard]] std::size_t extent(std::size_t dimension) const { return (*extents_)[dimension]; }
  [[nodiscard]] const index_list& extents() const noexcept { return *extents_; }
  [[nodiscard]] const index_list& strides() const noexcept { return *strides_; }
  [[nodiscard]] std::size_t size() const noexcept {
    std::size_t product = 1;
    for (std::size_t extent : *extents_) product *= extent;
    return product;
  }
  [[nodiscard]] bool contiguous() const {
    const loop_nest<1> nest(*extents_, {strides_});
    return nest.size() == 0 || (nest.dense() && nest.run_length() == nest.size());
  }
  [[nodiscard]] T* data() const noexcept { return data_; }

  /// All elements in order, of a contiguous view only. Throws usage_error if there are gaps between
  /// rows, as in a tile.
  [[nodiscard]] T* begin() const {
    if (!contiguous()) [[unlikely]]
      detail::refuse_gaps();
    return data_;
  }
  [[nodiscard]] T* end() const { return begin() + size(); }

  /// Calls f(std::span<T>) for each contiguous run of elements, in order. Runs are as long as the
  /// layout allows: one for a contiguous view, one for each row of a tile.
  template <class F>
  void for_each_run(F&& f) const {
    const loop_nest<1> nest(*extents_, {strides_});
    nest.for_runs(0, nest.size(), [&](const std::array<std::size_t, 1>& offset, std::size_t count) {
      if (nest.dense()) {
        f(std::span<T>(data_ + offset[0], count));
      } else {
        for (std::size_t i = 0; i < count; ++i) {
          f(std::span<T>(data_ + offset[0] + i * nest.run_strides()[0], 1));
        }
      }
    });
  }

 private:
  T* data_;
  const index_list* extents_;
  const index_list* strides_;
};

}  // namespace hocket
