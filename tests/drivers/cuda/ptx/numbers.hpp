// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "program.hpp"

namespace standin {

/// Returns a binary format of 16 bits, with so many bits of exponent and fraction, of a number.
template <int exponent_bits, int fraction_bits>
std::uint16_t pack_float(double value, rounding how) {
  constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  constexpr int infinity = ((1 << exponent_bits) - 1) << fraction_bits;
  if (std::isnan(value)) return 0x7FFF;
  const bool minus = std::signbit(value);
  const auto sign = static_cast<std::uint16_t>(minus ? 0x8000 : 0);
  value = std::fabs(value);
  const bool away = (how == rounding::up && !minus) || (how == rounding::down && minus);
  int bits = infinity;
  if (std::isfinite(value)) {
    int exponent = 0;
    std::frexp(value, &exponent);
    exponent = std::max(exponent - 1, 1 - bias);
    const double units = std::ldexp(value, fraction_bits - exponent);
    const double whole = how == rounding::nearest ? std::nearbyint(units)
                         : away                   ? std::ceil(units)
                                                  : std::floor(units);
    const double top = exponent > 2 * bias ? 2 * bias : exponent;
    bits = ((static_cast<int>(top) + bias - 1) << fraction_bits) + static_cast<int>(whole);
    if (exponent > bias || bits > infinity) bits = infinity;
    if (bits == infinity && how != rounding::nearest && !away) bits = infinity - 1;
  }
  return static_cast<std::uint16_t>(sign | bits);
}

template <int exponent_bits, int fraction_bits>
struct small_float {
  std::uint16_t bits = 0;

  small_float() = default;
  explicit small_float(double value, rounding how = rounding::nearest)
      : bits(pack_float<exponent_bits, fraction_bits>(value, how)) {}

  explicit operator double() const {
    constexpr int bias = (1 << (exponent_bits - 1)) - 1;
    constexpr int ones = (1 << exponent_bits) - 1;
    const int exponent = (bits >> fraction_bits) & ones;
    const int fraction = bits & ((1 << fraction_bits) - 1);
    double value = 0;
    if (exponent == ones) {
      value = fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                            : std::numeric_limits<double>::infinity();
    } else if (exponent == 0) {
      value = std::ldexp(fraction, 1 - bias - fraction_bits);
    } else {
      value = std::ldexp(fraction | (1 << fraction_bits), exponent - bias - fraction_bits);
    }
    return (bits & 0x8000U) != 0 ? -value : value;
  }

  friend small_float operator+(small_float a, small_float b) {
    return small_float(static_cast<double>(a) + static_cast<double>(b));
  }
  friend small_float operator-(small_float a, small_float b) {
    return small_float(static_cast<double>(a) - static_cast<double>(b));
  }
  friend small_float operator*(small_float a, small_float b) {
    return small_float(static_cast<double>(a) * static_cast<double>(b));
  }
};

using half = small_float<5, 10>;
using bfloat = small_float<8, 7>;

/// Two numbers in one register of 32 bits.
template <class T>
struct pair_of {
  T low, high;
};

template <class T>
inline constexpr bool is_small_float = std::is_same_v<T, half> || std::is_same_v<T, bfloat>;
template <class T>
inline constexpr bool is_number = std::is_floating_point_v<T> || is_small_float<T>;

/// A type in which the operations of T have no second rounding that shows.
template <class T>
using wide_t = std::conditional_t<is_small_float<T>, double, T>;

template <class T>
wide_t<T> widened(T value) {
  return static_cast<wide_t<T>>(value);
}

/// How PTX names the types of instructions. Types of plain bits are named like unsigned ones.
template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, bool>) return "pred";
  if constexpr (std::is_same_v<T, float>) return "f32";
  if constexpr (std::is_same_v<T, double>) return "f64";
  if constexpr (std::is_same_v<T, half>) return "f16";
  if constexpr (std::is_same_v<T, bfloat>) return "bf16";
  if constexpr (std::is_same_v<T, pair_of<half>>) return "f16x2";
  if constexpr (std::is_same_v<T, pair_of<bfloat>>) return "bf16x2";
  if constexpr (std::is_same_v<T, std::int8_t>) return "s8";
  if constexpr (std::is_same_v<T, std::uint8_t>) return "u8";
  if constexpr (std::is_same_v<T, std::int16_t>) return "s16";
  if constexpr (std::is_same_v<T, std::uint16_t>) return "u16";
  if constexpr (std::is_same_v<T, std::int32_t>) return "s32";
  if constexpr (std::is_same_v<T, std::uint32_t>) return "u32";
  if constexpr (std::is_same_v<T, std::int64_t>) return "s64";
  return "u64";
}

/// The smaller and the larger of two whole numbers.
struct smallest {
  template <class T>
  T operator()(T a, T b) const {
    return std::min(a, b);
  }
};
struct largest {
  template <class T>
  T operator()(T a, T b) const {
    return std::max(a, b);
  }
};

}  // namespace standin
