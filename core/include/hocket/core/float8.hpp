// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <bit>
#include <cstdint>

#include <hocket/core/float16.hpp>

namespace hocket {

namespace detail {

/// The conversions of a format with 8 bits, by the constants of the format. Kernel texts convert by
/// the same steps, so that all devices give the same bits; see kernels/src/program.cpp.
template <class Format>
struct conversions8 {
  using bits_type = std::uint8_t;

  [[nodiscard]] static constexpr float widened(std::uint8_t from) noexcept {
    const std::uint32_t magnitude = from & 0x7fU;
    // Below the least normal number are multiples of the least number.
    const auto tiny = std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<int>(magnitude)) *
                                                   Format::least_step);
    const std::uint32_t normal =
        (magnitude << Format::shift) +
        choose_bits(magnitude < Format::first_special, Format::bias, Format::bias_of_special);
    return std::bit_cast<float>(choose_bits(magnitude < Format::least, tiny, normal) |
                                (from & 0x80U) << 24U);
  }

  [[nodiscard]] static constexpr std::uint8_t narrowed(float from) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(from);
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    const std::uint32_t least_normal = Format::bias + (1U << 23U);
    // The neighbours of `one_step_apart` are one step apart: the sum rounds to a multiple of it.
    const std::uint32_t small = choose_bits(magnitude < least_normal, magnitude, least_normal);
    const std::uint32_t tiny =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(small) + Format::one_step_apart) -
        std::bit_cast<std::uint32_t>(Format::one_step_apart);
    const std::uint32_t half = (1U << (Format::shift - 1U)) - 1U;
    const std::uint32_t normal =
        (magnitude - Format::bias + half + (magnitude >> Format::shift & 1U)) >> Format::shift;
    const std::uint32_t rounded = choose_bits(magnitude < least_normal, tiny, normal);
    const std::uint32_t special =
        choose_bits(magnitude > 0x7f800000U, Format::nan, Format::beyond_greatest);
    return static_cast<std::uint8_t>(choose_bits(magnitude < Format::overflow, rounded, special) |
                                     (bits >> 24U & 0x80U));
  }
};

/// E4M3 of the Open Compute Project, which others call E4M3FN: 4 bits of exponent, 3 of fraction,
/// no infinity, and one NaN of each sign.
struct ocp_e4m3 : conversions8<ocp_e4m3> {
  static constexpr std::uint32_t shift = 20, bias = 0x3c000000, first_special = 0x7f,
                                 bias_of_special = 0x77d00000, overflow = 0x43f00000;
  static constexpr float least_step = 0x1p-9F, one_step_apart = 0x1p14F;
  static constexpr std::uint8_t least = 0x08, greatest = 0x7e, infinity = 0, nan = 0x7f,
                                epsilon = 0x20, sign = 0x80, beyond_greatest = nan;
  static constexpr bool has_infinity = false;
  static constexpr int digits = 4, digits10 = 0, max_digits10 = 3, min_exponent = -5,
                       min_exponent10 = -1, max_exponent = 9, max_exponent10 = 2;
};

/// E5M2 of the Open Compute Project, the upper half of binary16: 5 bits of exponent, 2 of fraction.
struct ocp_e5m2 : conversions8<ocp_e5m2> {
  static constexpr std::uint32_t shift = 21, bias = 0x38000000, first_special = 0x7c,
                                 bias_of_special = 0x70000000, overflow = 0x47800000;
  static constexpr float least_step = 0x1p-16F, one_step_apart = 0x1p7F;
  static constexpr std::uint8_t least = 0x04, greatest = 0x7b, infinity = 0x7c, nan = 0x7e,
                                epsilon = 0x34, sign = 0x80, beyond_greatest = infinity;
  static constexpr bool has_infinity = true;
  static constexpr int digits = 3, digits10 = 0, max_digits10 = 2, min_exponent = -13,
                       min_exponent10 = -4, max_exponent = 16, max_exponent10 = 4;
};

}  // namespace detail

/// The format with 8 bits for weights and activations: 4 significant bits, up to 448, no infinity.
/// Numbers that would be rounded to more than 448, and infinities, become NaN; saturate_cast()
/// takes 448 instead.
using float8_e4m3 = narrow_float<detail::ocp_e4m3>;

/// The format with 8 bits for gradients: 3 significant bits, up to 57344. Numbers that would be
/// rounded to more become infinite; saturate_cast() takes 57344 instead.
using float8_e5m2 = narrow_float<detail::ocp_e5m2>;

}  // namespace hocket
