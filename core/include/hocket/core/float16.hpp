// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace hocket {

namespace detail {

/// a where the condition holds, else b, without a branch: loops of conversions become vectors.
[[nodiscard]] constexpr std::uint32_t choose_bits(bool condition, std::uint32_t a,
                                                  std::uint32_t b) noexcept {
  const std::uint32_t mask = 0U - static_cast<std::uint32_t>(condition);
  return (a & mask) | (b & ~mask);
}

/// The 16-bit format of IEEE 754: 5 bits of exponent, 10 of fraction. Kernel texts convert by the
/// same steps, so that all devices give the same bits; see kernels/src/program.cpp.
struct binary16 {
  using bits_type = std::uint16_t;

  [[nodiscard]] static constexpr float widened(std::uint16_t from) noexcept {
    const std::uint32_t magnitude = from & 0x7fffU;
    // Below the least normal number are multiples of 2^-24.
    const auto tiny =
        std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<int>(magnitude)) * 0x1p-24F);
    const std::uint32_t normal =
        (magnitude << 13U) + choose_bits(magnitude < 0x7c00U, 0x38000000U, 0x70000000U);
    return std::bit_cast<float>(choose_bits(magnitude < 0x0400U, tiny, normal) | (from & 0x8000U)
                                                                                     << 16U);
  }

  [[nodiscard]] static constexpr std::uint16_t narrowed(float from) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(from);
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    // The neighbours of 0.5 are 2^-24 apart: the sum rounds to a multiple of it.
    const std::uint32_t least_normal = 0x38800000U;
    const std::uint32_t small = choose_bits(magnitude < least_normal, magnitude, least_normal);
    const std::uint32_t tiny =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(small) + 0.5F) - 0x3f000000U;
    const std::uint32_t normal =
        (magnitude - 0x38000000U + 0x0fffU + (magnitude >> 13U & 1U)) >> 13U;
    const std::uint32_t rounded = choose_bits(magnitude < least_normal, tiny, normal);
    const std::uint32_t special = choose_bits(magnitude > 0x7f800000U, 0x7e00U, 0x7c00U);
    return static_cast<std::uint16_t>(choose_bits(magnitude < 0x47800000U, rounded, special) |
                                      (bits >> 16U & 0x8000U));
  }

  static constexpr std::uint16_t least = 0x0400, greatest = 0x7bff, infinity = 0x7c00, nan = 0x7e00,
                                 epsilon = 0x1400, sign = 0x8000;
  static constexpr bool has_infinity = true;
  static constexpr int digits = 11, digits10 = 3, max_digits10 = 5, min_exponent = -13,
                       min_exponent10 = -4, max_exponent = 16, max_exponent10 = 4;
};

/// The upper half of a float: 8 bits of exponent, 7 of fraction.
struct brain16 {
  using bits_type = std::uint16_t;

  [[nodiscard]] static constexpr float widened(std::uint16_t from) noexcept {
    return std::bit_cast<float>(std::uint32_t{from} << 16U);
  }

  [[nodiscard]] static constexpr std::uint16_t narrowed(float from) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(from);
    const std::uint32_t rounded = (bits + 0x7fffU + (bits >> 16U & 1U)) >> 16U;
    const std::uint32_t nan_of_sign = 0x7fc0U | (bits >> 16U & 0x8000U);
    return static_cast<std::uint16_t>(
        choose_bits((bits & 0x7fffffffU) > 0x7f800000U, nan_of_sign, rounded));
  }

  static constexpr std::uint16_t least = 0x0080, greatest = 0x7f7f, infinity = 0x7f80, nan = 0x7fc0,
                                 epsilon = 0x3c00, sign = 0x8000;
  static constexpr bool has_infinity = true;
  static constexpr int digits = 8, digits10 = 2, max_digits10 = 4, min_exponent = -125,
                       min_exponent10 = -37, max_exponent = 128, max_exponent10 = 38;
};

}  // namespace detail

/// A number that is stored in 16 or 8 bits and computed with as a float. A number that it is made
/// from is rounded to the nearest, and of two that are as near to the even one; a double is rounded
/// to float first. A NaN keeps its sign alone. In place of `c ? x : 1.0f`, whose sides convert to
/// each other, write select(c, x, 1.0f). See float16, bfloat16, float8_e4m3 and float8_e5m2.
template <class Format>
class narrow_float {
 public:
  using bits_type = typename Format::bits_type;

  constexpr narrow_float() noexcept = default;
  template <class Number>
  requires std::is_arithmetic_v<Number>
  constexpr narrow_float(Number value) noexcept  // NOLINT(*-explicit-*)
      : bits_(Format::narrowed(static_cast<float>(value))) {}
  template <class Other>
  requires(!std::is_same_v<Other, Format>) constexpr narrow_float(
      narrow_float<Other> value) noexcept  // NOLINT(*-explicit-*)
      : bits_(Format::narrowed(value)) {}

  [[nodiscard]] static constexpr narrow_float from_bits(bits_type bits) noexcept {
    narrow_float made;
    made.bits_ = bits;
    return made;
  }
  [[nodiscard]] constexpr bits_type bits() const noexcept { return bits_; }

  constexpr operator float() const noexcept {  // NOLINT(*-explicit-*)
    return Format::widened(bits_);
  }

  constexpr narrow_float& operator+=(float value) noexcept { return *this = *this + value; }
  constexpr narrow_float& operator-=(float value) noexcept { return *this = *this - value; }
  constexpr narrow_float& operator*=(float value) noexcept { return *this = *this * value; }
  constexpr narrow_float& operator/=(float value) noexcept { return *this = *this / value; }

 private:
  bits_type bits_ = 0;
};

/// The 16-bit format of IEEE 754: 11 significant bits, up to 65504.
using float16 = narrow_float<detail::binary16>;

/// The upper half of a float: 8 significant bits, the range of a float.
using bfloat16 = narrow_float<detail::brain16>;

namespace detail {
template <class T>
inline constexpr bool is_narrow_float = false;
template <class Format>
inline constexpr bool is_narrow_float<narrow_float<Format>> = true;
}  // namespace detail

}  // namespace hocket

template <class Format>
class std::numeric_limits<hocket::narrow_float<Format>> {
  using number = hocket::narrow_float<Format>;

 public:
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false,
                        is_exact = false, has_infinity = Format::has_infinity, has_quiet_NaN = true,
                        has_signaling_NaN = false, has_denorm_loss = false, is_iec559 = false,
                        is_bounded = true, is_modulo = false, traps = false,
                        tinyness_before = false;
  static constexpr float_denorm_style has_denorm = denorm_present;
  static constexpr float_round_style round_style = round_to_nearest;
  static constexpr int radix = 2, digits = Format::digits, digits10 = Format::digits10,
                       max_digits10 = Format::max_digits10, min_exponent = Format::min_exponent,
                       min_exponent10 = Format::min_exponent10, max_exponent = Format::max_exponent,
                       max_exponent10 = Format::max_exponent10;

  static constexpr number min() noexcept { return number::from_bits(Format::least); }
  static constexpr number max() noexcept { return number::from_bits(Format::greatest); }
  static constexpr number lowest() noexcept {
    return number::from_bits(Format::greatest | Format::sign);
  }
  static constexpr number epsilon() noexcept { return number::from_bits(Format::epsilon); }
  static constexpr number round_error() noexcept { return 0.5F; }
  static constexpr number infinity() noexcept { return number::from_bits(Format::infinity); }
  static constexpr number quiet_NaN() noexcept { return number::from_bits(Format::nan); }
  static constexpr number signaling_NaN() noexcept { return {}; }
  static constexpr number denorm_min() noexcept { return number::from_bits(1); }
};
