// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <array>
#include <cmath>

#include <hocket/kernels/array_ops.hpp>
#include <hocket/kernels/loop_nest.hpp>
#include <hocket/kernels/ranges.hpp>

#include "device/bodies.hpp"

namespace hocket::ops::detail {

namespace {

using words = std::array<std::uint32_t, 4>;

/// Philox4x32-10 of the counter (count, 0, 0).
words philox(std::uint64_t count, std::uint32_t key0, std::uint32_t key1) {
  words c{static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(count >> 32U), 0, 0};
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xd2511f53U} * c[0];
    const std::uint64_t second = std::uint64_t{0xcd9e8d57U} * c[2];
    c = {static_cast<std::uint32_t>(second >> 32U) ^ c[1] ^ key0,
         static_cast<std::uint32_t>(second), static_cast<std::uint32_t>(first >> 32U) ^ c[3] ^ key1,
         static_cast<std::uint32_t>(first)};
    key0 += 0x9e3779b9U;
    key1 += 0xbb67ae85U;
  }
  return c;
}

float fraction(std::uint32_t word, unsigned bits) {
  return std::ldexp(static_cast<float>(word >> (32U - bits)), -static_cast<int>(bits));
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

template <class Numbers, class T>
void fill_randomly(lane_group& lanes, std::uint32_t seed, std::uint32_t stream, strided_view<T> x) {
  const loop_nest<1> nest(x.extents(), {&x.strides()});
  const std::size_t step = nest.run_strides()[0];
  hocket::detail::for_ranges(
      lanes, nest.size(), random_grain, [&](std::size_t begin, std::size_t end) {
        std::size_t place = begin;
        words made{};
        nest.for_runs(begin, end, [&](const auto& offset, std::size_t count) {
          for (std::size_t i = 0; i < count; ++i, ++place) {
            const std::size_t at = place % Numbers::each;
            if (at == 0 || place == begin) made = philox(place / Numbers::each, seed, stream);
            x.data()[offset[0] + i * step] = Numbers::number(made, at);
          }
        });
      });
}

template <class T>
bool is_wide(const launch_shape& shape) {
  return static_cast<double>(volume(shape[0])) * sizeof(T) * 4 >= hocket::detail::wide_bytes;
}

}  // namespace

template <class T>
auto random_uniform_op::instance() -> const type<T>& {
  static const type<T> made = type<T>("random_uniform", host_body{fill_randomly<uniform<T>, T>})
                                  .wide(is_wide<T>)
                                  .with(hocket::detail::random_uniform_bodies(element_type_of<T>));
  return made;
}

template <class T>
auto random_normal_op::instance() -> const type<T>& {
  static const type<T> made = type<T>("random_normal", host_body{fill_randomly<normal, T>})
                                  .wide(is_wide<T>)
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
