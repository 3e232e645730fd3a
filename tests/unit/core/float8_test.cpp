// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/core/float8.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <hocket/core/dtype.hpp>

namespace hocket {
namespace {

/// The number that a pattern is, by the specification of the Open Compute Project.
double as_specified(std::uint8_t bits, int exponent_bits, int fraction_bits, bool has_infinity) {
  const int magnitude = bits & 0x7f, fraction = magnitude & ((1 << fraction_bits) - 1);
  const int exponent = magnitude >> fraction_bits, bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = (bits & 0x80) != 0 ? -1 : 1;
  if (has_infinity && exponent == (1 << exponent_bits) - 1) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
  }
  if (!has_infinity && magnitude == 0x7f) return std::nan("");
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
}

struct e4m3 {
  using type = float8_e4m3;
  static double value(std::uint8_t bits) { return as_specified(bits, 4, 3, false); }
  static constexpr double greatest = 448, least = 0x1p-9, least_normal = 0x1p-6;
};
struct e5m2 {
  using type = float8_e5m2;
  static double value(std::uint8_t bits) { return as_specified(bits, 5, 2, true); }
  static constexpr double greatest = 57344, least = 0x1p-16, least_normal = 0x1p-14;
};

template <class Format>
class float8_formats : public ::testing::Test {
 protected:
  using type = typename Format::type;

  /// The patterns of the numbers that are not negative, in their order.
  static std::vector<std::uint8_t> numbers() {
    std::vector<std::uint8_t> made;
    for (unsigned bits = 0; bits < 0x80; ++bits) {
      if (std::isfinite(Format::value(static_cast<std::uint8_t>(bits)))) {
        made.push_back(static_cast<std::uint8_t>(bits));
      }
    }
    return made;
  }

  /// The pattern of a number, by comparison with all of them.
  static std::uint8_t nearest(double value) {
    const std::vector<std::uint8_t> all = numbers();
    const double magnitude = std::abs(value);
    const std::uint8_t sign = std::signbit(value) ? 0x80 : 0;
    const double last = Format::value(all.back());
    const double before = Format::value(all[all.size() - 2]);
    const double limit = last + (last - before) / 2;
    // Of two that are as near the one of an even pattern: that of the greatest number decides.
    const bool is_beyond = all.back() % 2 == 0 ? magnitude > limit : magnitude >= limit;
    if (std::isnan(value)) return std::numeric_limits<type>::quiet_NaN().bits() | sign;
    if (is_beyond) {
      using limits = std::numeric_limits<type>;
      return (limits::has_infinity ? limits::infinity() : limits::quiet_NaN()).bits() | sign;
    }
    std::uint8_t best = 0;
    for (const std::uint8_t each : all) {
      const double now = std::abs(Format::value(each) - magnitude);
      const double least = std::abs(Format::value(best) - magnitude);
      if (now < least || (now == least && each % 2 == 0)) best = each;
    }
    return best | sign;
  }

  static void expect_rounded(float value) {
    ASSERT_EQ(int{type(value).bits()}, int{nearest(double{value})}) << value;
  }
  static void expect_rounded_around(double value) {
    const auto middle = static_cast<float>(value);
    const float infinity = std::numeric_limits<float>::infinity();
    for (const float each :
         {middle, std::nextafter(middle, infinity), std::nextafter(middle, -infinity)}) {
      expect_rounded(each);
      expect_rounded(-each);
    }
  }
};
using formats8 = ::testing::Types<e4m3, e5m2>;
TYPED_TEST_SUITE(float8_formats, formats8, );

TYPED_TEST(float8_formats, have_the_numbers_of_the_specification) {
  using type = typename TypeParam::type;
  for (unsigned pattern = 0; pattern < 256; ++pattern) {
    const auto bits = static_cast<std::uint8_t>(pattern);
    const float wide = type::from_bits(bits);
    const double expected = TypeParam::value(bits);
    EXPECT_EQ(std::signbit(wide), pattern >= 0x80) << pattern;
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(wide)) << pattern;
      EXPECT_EQ(type(wide).bits(), std::numeric_limits<type>::quiet_NaN().bits() | (bits & 0x80U));
    } else {
      EXPECT_EQ(double{wide}, expected) << pattern;
      EXPECT_EQ(int{type(wide).bits()}, int{bits});
    }
  }
}

TYPED_TEST(float8_formats, round_to_the_nearest_and_to_even) {
  const auto all = this->numbers();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double here = TypeParam::value(all[i]);
    this->expect_rounded_around(here);
    if (i + 1 < all.size()) this->expect_rounded_around((here + TypeParam::value(all[i + 1])) / 2);
  }
  std::mt19937 random(8);
  for (int i = 0; i < 100000; ++i) {
    this->expect_rounded(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  }
}

TYPED_TEST(float8_formats, lose_what_is_beyond_their_greatest_number) {
  using type = typename TypeParam::type;
  using limits = std::numeric_limits<type>;
  const double greatest = TypeParam::greatest;
  const double step = greatest - TypeParam::value(this->numbers().rbegin()[1]);
  for (double at = greatest - step; at < greatest + 4 * step; at += step / 4) {
    this->expect_rounded_around(at);
  }
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const float beyond : {2 * static_cast<float>(greatest), 1e30F, infinity}) {
    const float found = type(beyond), opposite = type(-beyond);
    EXPECT_EQ(std::isinf(found), limits::has_infinity);
    EXPECT_EQ(std::isnan(found), !limits::has_infinity);
    EXPECT_TRUE(std::signbit(opposite) && !std::signbit(found));
  }
}

TYPED_TEST(float8_formats, keep_numbers_below_the_least_normal_one) {
  using type = typename TypeParam::type;
  const double least = TypeParam::least;
  EXPECT_EQ(double{float{type(least)}}, least);
  EXPECT_EQ(type(least / 2).bits(), 0);  // as near to zero, which is even
  EXPECT_EQ(type(std::nextafter(static_cast<float>(least / 2), 1.0F)).bits(), 1);
  EXPECT_EQ(type(-least / 2).bits(), 0x80);
  EXPECT_EQ(type(std::numeric_limits<float>::denorm_min()).bits(), 0);
  const double below = TypeParam::least_normal - least;
  EXPECT_EQ(double{float{type(below)}}, below);
}

TYPED_TEST(float8_formats, have_the_limits_of_their_numbers) {
  using type = typename TypeParam::type;
  using limits = std::numeric_limits<type>;
  EXPECT_EQ(double{float{limits::max()}}, TypeParam::greatest);
  EXPECT_EQ(double{float{limits::lowest()}}, -TypeParam::greatest);
  EXPECT_EQ(double{float{limits::min()}}, TypeParam::least_normal);
  EXPECT_EQ(double{float{limits::min()}}, std::ldexp(1.0, limits::min_exponent - 1));
  EXPECT_EQ(double{float{limits::denorm_min()}}, TypeParam::least);
  EXPECT_EQ(double{float{limits::epsilon()}}, std::ldexp(1.0, 1 - limits::digits));
  EXPECT_LE(TypeParam::greatest, std::ldexp(1.0, limits::max_exponent));
  EXPECT_GE(TypeParam::greatest, std::ldexp(1.0, limits::max_exponent - 1));
  EXPECT_TRUE(std::isnan(float{limits::quiet_NaN()}));
}

TEST(float8, computes_as_a_float) {
  constexpr float8_e4m3 x = 1.5, y = 3;
  static_assert(sizeof(x) == 1 && sizeof(float8_e5m2) == 1);
  static_assert(std::is_same_v<decltype(x * y), float> && x * y == 4.5F && x < y && x != 2);
  float8_e4m3 sum = 16;
  sum += 1;  // the neighbours of 16 are 2 apart above it
  EXPECT_EQ(float{sum}, 16);
  EXPECT_EQ(float{float8_e4m3(464)}, 448);
  EXPECT_TRUE(std::isnan(float{float8_e4m3(465)}));
  EXPECT_EQ(float{float8_e5m2(61439)}, 57344);
  EXPECT_TRUE(std::isinf(float{float8_e5m2(61440)}));
  EXPECT_EQ(float{float8_e4m3(float8_e5m2(1.75))}, 1.75F);
  EXPECT_EQ(float{float8_e5m2(float16(3.5))}, 3.5F);
}

TEST(float8, has_element_types_of_its_own) {
  static_assert(element_type_of<float8_e4m3> == element_type::f8e4m3);
  static_assert(element_type_of<float8_e5m2> == element_type::f8e5m2);
  static_assert(number_element<float8_e4m3> && number_element<float8_e5m2>);
  static_assert(size_of(element_type::f8e4m3) == 1 && alignment_of(element_type::f8e5m2) == 1);
  static_assert(computed_type(element_type::f8e4m3) == element_type::f32);
  static_assert(computed_type(element_type::f64) == element_type::f64);
  EXPECT_EQ(to_string(element_type::f8e4m3), "float8_e4m3");
  EXPECT_EQ(to_string(element_type::f8e5m2), "float8_e5m2");
  EXPECT_TRUE(is_element_type(static_cast<std::uint64_t>(element_type::f8e5m2)));
}

}  // namespace
}  // namespace hocket
