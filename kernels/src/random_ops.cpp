// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <array>
#include <cmath>

#include <hocket/core/never_destroyed.hpp>
#include <hocket/kernels/array_ops.hpp>
#include <hocket/kernels/loop_nest.hpp>
#include <hocket/kernels/ranges.hpp>

#include "device/bodies.hpp"

namespace hocket::ops::detail {

namespace {

using words = std::array<std::uint32_t, 4>;

/// How many counters are worked on at once: loops over them become vectors.
constexpr std::size_t counters = 16;

/// Words of so many counters in a row.
using word_block = std::array<std::array<std::uint32_t, counters>, 4>;

/// Philox4x32-10 of the counters (first, 0, 0) and those that follow.
word_block philox(std::uint64_t first, std::uint32_t key0, std::uint32_t key1) {
  word_block c{};
  for (std::size_t n = 0; n < counters; ++n) {
    c[0][n] = static_cast<std::uint32_t>(first + n);
    c[1][n] = static_cast<std::uint32_t>((first + n) >> 32U);
  }
  for (int round = 0; round < 10; ++round) {
    for (std::size_t n = 0; n < counters; ++n) {
      const std::uint64_t low = std::uint64_t{0xd2511f53U} * c[0][n];
      const std::uint64_t high = std::uint64_t{0xcd9e8d57U} * c[2][n];
      c[0][n] = static_cast<std::uint32_t>(high >> 32U) ^ c[1][n] ^ key0;
      c[1][n] = static_cast<std::uint32_t>(high);
      c[2][n] = static_cast<std::uint32_t>(low >> 32U) ^ c[3][n] ^ key1;
      c[3][n] = static_cast<std::uint32_t>(low);
    }
    key0 += 0x9e3779b9U;
    key1 += 0xbb67ae85U;
  }
  return c;
}

float fraction(std::uint32_t word, unsigned bits) {
  return static_cast<float>(static_cast<int>(word >> (32U - bits))) /
         static_cast<float>(1U << bits);
}

/// How many numbers one counter gives, and the number `at` of them.
template <class T>
struct uniform {
  static constexpr std::size_t each = 4;
  static T number(const words& w, std::size_t at) {
    if constexpr (std::is_integral_v<T>) {
      return w[at];
    } else {
      return T(fraction(w[at], std::numeric_limits<T>::digits));
    }
  }
};
template <>
struct uniform<double> {
  static constexpr std::size_t each = 2;
  static double number(const words& w, std::size_t at) {
    return (static_cast<double>(w[2 * at] >> 5U) * 0x1p26 +
            static_cast<double>(w[2 * at + 1] >> 6U)) *
           0x1p-53;
  }
};

struct normal {
  static constexpr std::size_t each = 2;
  static float number(const words& w, std::size_t at) {
    const float first = static_cast<float>((w[2 * at] >> 8U) + 1) * 0x1p-24F;
    const float turn = fraction(w[2 * at + 1], 24) - 0.5F;
    return std::sqrt(-2 * std::log(first)) * std::cos(6.2831853F * turn);
  }
};

/// How many elements one piece of a wide body has.
constexpr std::size_t random_grain = 16384;

/// The numbers at consecutive places, made in blocks.
template <class Numbers, class T>
class number_blocks {
 public:
  static constexpr std::size_t size = counters * Numbers::each;

  number_blocks(std::uint32_t seed, std::uint32_t stream) : seed_(seed), stream_(stream) {}

  /// The numbers of the block that the place is in.
  const std::array<T, size>& around(std::size_t place) {
    const std::size_t number = place / size;
    if (number == number_) return made_;
    number_ = number;
    const word_block block = philox(std::uint64_t{number} * counters, seed_, stream_);
    for (std::size_t n = 0; n < counters; ++n) {
      const words of_counter{block[0][n], block[1][n], block[2][n], block[3][n]};
      for (std::size_t at = 0; at < Numbers::each; ++at) {
        made_[n * Numbers::each + at] = Numbers::number(of_counter, at);
      }
    }
    return made_;
  }

 private:
  std::uint32_t seed_, stream_;
  std::size_t number_ = static_cast<std::size_t>(-1);
  std::array<T, size> made_{};
};

template <class Numbers, class T>
void fill_randomly(lane_group& lanes, std::uint32_t seed, std::uint32_t stream, strided_view<T> x) {
  using blocks = number_blocks<Numbers, T>;
  const loop_nest<1> nest(x.extents(), {&x.strides()});
  const std::size_t step = nest.run_strides()[0];
  const auto fill = [&](std::size_t begin, std::size_t end) {
    blocks numbers(seed, stream);
    std::size_t place = begin;
    nest.for_runs(begin, end, [&](const auto& offset, std::size_t count) {
      T* to = x.data() + offset[0];
      for (const std::size_t last = place + count; place < last;) {
        const auto& made = numbers.around(place);
        const std::size_t stop = std::min(last, (place / blocks::size + 1) * blocks::size);
        for (; place < stop; ++place, to += step) *to = made[place % blocks::size];
      }
    });
  };
  hocket::detail::for_ranges(lanes, nest.size(), random_grain, fill);
}

template <class T>
bool is_wide(const launch_shape& shape) {
  return static_cast<double>(volume(shape[0])) * sizeof(T) * 4 >= hocket::detail::wide_bytes;
}

}  // namespace

template <class T>
auto random_uniform_op::instance() -> const type<T>& {
  static const never_destroyed<type<T>> made =
      type<T>("random_uniform", host_body{fill_randomly<uniform<T>, T>})
          .wide(is_wide<T>)
          .positional()
          .with(hocket::detail::random_uniform_bodies(element_type_of<T>));
  return made;
}

template <class T>
auto random_normal_op::instance() -> const type<T>& {
  static const never_destroyed<type<T>> made =
      type<T>("random_normal", host_body{fill_randomly<normal, T>})
          .wide(is_wide<T>)
          .positional()
          .with(hocket::detail::random_normal_bodies());
  return made;
}

#define HOCKET_INSTANTIATE(T) \
  template const random_uniform_op::type<T>& random_uniform_op::instance<T>();
HOCKET_INSTANTIATE(float)
HOCKET_INSTANTIATE(double)
HOCKET_INSTANTIATE(float16)
HOCKET_INSTANTIATE(bfloat16)
HOCKET_INSTANTIATE(std::uint32_t)
#undef HOCKET_INSTANTIATE
template const random_normal_op::type<float>& random_normal_op::instance<float>();

}  // namespace hocket::ops::detail
