// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <hocket/core/error.hpp>
#include <hocket/core/shape.hpp>
#include <hocket/kernels/argument.hpp>
#include <hocket/kernels/kernel.hpp>

namespace hocket::testing {

/// The type in which the reference of a result in T is computed.
template <class T>
using wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;

template <class T>
inline constexpr double epsilon = std::numeric_limits<T>::epsilon();

/// Runs the ranges in the calling thread, in a random order.
class shuffled_lanes final : public lane_group {
 public:
  explicit shuffled_lanes(std::uint64_t seed) : random_(seed) {}
  [[nodiscard]] std::size_t lanes() const noexcept override { return 1; }
  void for_ranges(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& piece) override {
    std::vector<std::size_t> begins;
    for (std::size_t begin = 0; begin < count; begin += grain) begins.push_back(begin);
    std::ranges::shuffle(begins, random_);
    for (std::size_t begin : begins) piece(begin, std::min(count, begin + grain));
  }

 private:
  std::mt19937_64 random_;
};

/// Runs the ranges on threads that take the next one each.
class threaded_lanes final : public lane_group {
 public:
  explicit threaded_lanes(std::size_t lanes) : lanes_(lanes) {}
  [[nodiscard]] std::size_t lanes() const noexcept override { return lanes_; }
  void for_ranges(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& piece) override {
    std::atomic<std::size_t> next{0};
    std::vector<std::jthread> threads;
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      threads.emplace_back([&] {
        for (std::size_t begin; (begin = next.fetch_add(grain)) < count;) {
          piece(begin, std::min(count, begin + grain));
        }
      });
    }
  }

 private:
  std::size_t lanes_;
};

/// A region inside a larger array whose other elements must stay as they are.
template <class T>
class tensor {
 public:
  /// padding is how many elements lie behind the region in each dimension, around a margin.
  explicit tensor(index_list extents, std::size_t padding = 0) : extents_(std::move(extents)) {
    index_list outer = extents_;
    for (std::size_t& extent : outer) extent += padding;
    storage_.assign(volume(outer) + 2 * margin, sentinel());
    argument_ = {storage_.data() + margin, element_type_of<T>, extents_, dense_strides(outer)};
  }
  tensor(const tensor&) = delete;
  tensor& operator=(const tensor&) = delete;

  [[nodiscard]] const buffer_argument& argument() const { return argument_; }
  [[nodiscard]] const index_list& extents() const { return extents_; }
  [[nodiscard]] std::size_t size() const { return volume(extents_); }

  /// The element at a position in row-major order.
  T& operator[](std::size_t position) { return storage_[margin + offset(position)]; }
  T operator[](std::size_t position) const { return storage_[margin + offset(position)]; }
  [[nodiscard]] T operator()(std::size_t i, std::size_t j) const {
    return (*this)[i * extents_[1] + j];
  }

  template <class Random>
  tensor& fill(Random& random, double low = -1, double high = 1) {
    for (std::size_t i = 0; i < size(); ++i) {
      (*this)[i] = static_cast<T>(std::uniform_real_distribution<double>(low, high)(random));
    }
    return *this;
  }

  [[nodiscard]] std::vector<T> values() const {
    std::vector<T> all(size());
    for (std::size_t i = 0; i < size(); ++i) all[i] = (*this)[i];
    return all;
  }
  void assign(const std::vector<T>& values) {
    for (std::size_t i = 0; i < size(); ++i) (*this)[i] = values[i];
  }

  /// True if no element outside of the region has changed.
  [[nodiscard]] bool intact() const {
    std::vector<bool> inside(storage_.size());
    for (std::size_t i = 0; i < size(); ++i) inside[margin + offset(i)] = true;
    for (std::size_t i = 0; i < storage_.size(); ++i) {
      if (!inside[i] && storage_[i] != sentinel()) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t margin = 3;
  static T sentinel() { return static_cast<T>(77); }

  [[nodiscard]] std::size_t offset(std::size_t position) const {
    std::size_t found = 0;
    for (std::size_t d = extents_.size(); d-- > 0; position /= extents_[d]) {
      found += position % extents_[d] * argument_.strides[d];
    }
    return found;
  }

  index_list extents_;
  std::vector<T> storage_;
  buffer_argument argument_;
};

/// Checks the shape, then runs the host body.
inline void launch(const kernel_definition& kernel, lane_group& lanes,
                   const std::vector<scalar_argument>& scalars,
                   std::vector<buffer_argument> buffers) {
  launch_shape shape;
  for (const buffer_argument& buffer : buffers) shape.push_back(buffer.extents);
  if (kernel.check) kernel.check(shape);
  static_cast<void>(kernel.work_of(shape));
  static_cast<void>(kernel.width_of(shape));
  kernel.host({buffers, scalars, lanes});
}

template <class T>
T launch_value(const kernel_definition& kernel, lane_group& lanes,
               const std::vector<scalar_argument>& scalars, std::vector<buffer_argument> buffers) {
  launch_shape shape;
  for (const buffer_argument& buffer : buffers) shape.push_back(buffer.extents);
  if (kernel.check) kernel.check(shape);
  T value{};
  buffers.push_back({&value, element_type_of<T>, {1}, {1}});
  kernel.host({buffers, scalars, lanes});
  return value;
}

/// The message of the usage_error that a shape gets from a kernel's check; empty if it fits.
inline std::string refusal(const kernel_definition& kernel, const launch_shape& shape) {
  try {
    kernel.check(shape);
  } catch (const usage_error& wrong) {
    return wrong.what();
  }
  return {};
}

/// True if a value is the exact one after one rounding. The wider type may have rounded as well.
template <class T>
bool is_rounded(T value, wide<T> exact) {
  return std::abs(value - exact) <= wide<T>{0.501} * epsilon<T> * std::abs(exact);
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// A test with fresh random inputs: the seed is in the message of a failure.
class random_test : public ::testing::Test {
 protected:
  std::uint64_t seed_ = std::random_device{}();
  std::mt19937_64 random_{seed_};
  shuffled_lanes lanes_{seed_};
  ::testing::ScopedTrace trace_{__FILE__, __LINE__, "seed " + std::to_string(seed_)};
};

/// random_test for float and for double.
template <class T>
class typed_random_test : public random_test {};

using real_types = ::testing::Types<float, double>;

}  // namespace hocket::testing
