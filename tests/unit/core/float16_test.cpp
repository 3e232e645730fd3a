// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/core/float16.hpp>

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include <hocket/core/dtype.hpp>

namespace hocket {
namespace {

/// The number in a format of so many digits and such exponents, by arithmetic of doubles.
double rounded(double value, int digits, int min_exponent, double greatest) {
  if (std::isnan(value) || std::isinf(value) || value == 0) return value;
  int exponent = 0;
  (void)std::frexp(value, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent, min_exponent) - digits);
  const double near = std::nearbyint(value / unit) * unit;
  return std::abs(near) > greatest ? std::copysign(std::numeric_limits<double>::infinity(), value)
                                   : near;
}

template <class T>
class float16_formats : public ::testing::Test {};
using formats = ::testing::Types<float16, bfloat16>;
TYPED_TEST_SUITE(float16_formats, formats, );

TYPED_TEST(float16_formats, keep_each_of_their_numbers) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto one = TypeParam::from_bits(static_cast<std::uint16_t>(bits));
    const float wide = one;
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(TypeParam(wide))));
      EXPECT_EQ(TypeParam(wide).bits() & 0x8000U, bits & 0x8000U);
    } else {
      ASSERT_EQ(TypeParam(wide).bits(), bits);
    }
  }
}

TYPED_TEST(float16_formats, round_to_the_nearest_and_to_even) {
  using limits = std::numeric_limits<TypeParam>;
  const auto check = [](std::uint32_t bits) {
    const auto value = std::bit_cast<float>(bits);
    const float found = TypeParam(value);
    const double expected =
        rounded(double{value}, limits::digits, limits::min_exponent, double{limits::max()});
    if (std::isnan(value)) return std::isnan(found);
    return found == expected && std::signbit(found) == std::signbit(value);
  };
  for (std::uint32_t pattern = 0; pattern < 65536; ++pattern) {
    const float at = TypeParam::from_bits(static_cast<std::uint16_t>(pattern));
    const auto bits = std::bit_cast<std::uint32_t>(at);
    for (const std::uint32_t beside :
         {0U, 1U, 0x0fffU, 0x1000U, 0x1001U, 0x7fffU, 0x8000U, 0x8001U}) {
      ASSERT_TRUE(check(bits + beside)) << std::hex << bits + beside;
    }
  }
  std::mt19937 random(7);
  for (int i = 0; i < 1000000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random());
    ASSERT_TRUE(check(bits)) << std::hex << bits;
  }
}

TYPED_TEST(float16_formats, have_the_limits_of_their_numbers) {
  using limits = std::numeric_limits<TypeParam>;
  const float greatest = limits::max(), least = limits::min(), step = limits::epsilon();
  EXPECT_EQ(double{greatest},
            std::ldexp(1 - std::ldexp(1.0, -limits::digits), limits::max_exponent));
  EXPECT_EQ(double{least}, std::ldexp(1.0, limits::min_exponent - 1));
  EXPECT_EQ(double{step}, std::ldexp(1.0, 1 - limits::digits));
  EXPECT_EQ(float{limits::lowest()}, -greatest);
  EXPECT_EQ(double{limits::denorm_min()}, std::ldexp(1.0, limits::min_exponent - limits::digits));
  EXPECT_TRUE(std::isinf(float{limits::infinity()}));
  EXPECT_TRUE(std::isnan(float{limits::quiet_NaN()}));
}

TEST(float16, computes_as_a_float) {
  constexpr float16 x = 1.5, y = 3;
  static_assert(std::is_same_v<decltype(x * y), float>);
  static_assert(x * y == 4.5F && x < y && x != 2);
  float16 sum = 2048;
  sum += 1;  // the neighbours of 2048 are 2 apart above it
  EXPECT_EQ(float{sum}, 2048);
  sum -= 0.5;  // as near to 2047, which is odd in the last place
  EXPECT_EQ(float{sum}, 2048);
  EXPECT_EQ(float{float16(65520)}, std::numeric_limits<float>::infinity());
  EXPECT_EQ(float{float16(65519)}, 65504);
}

struct odd {
  char name[3];
};
enum class color : std::int16_t { red };

TEST(element_types, are_found_for_types) {
  static_assert(element_type_of<float16> == element_type::f16);
  static_assert(element_type_of<bfloat16> == element_type::bf16);
  static_assert(element_type_of<bool> == element_type::boolean);
  static_assert(element_type_of<std::complex<float>> == element_type::c64);
  static_assert(element_type_of<std::complex<double>> == element_type::c128);
  static_assert(element_type_of<color> == element_type::i16);
  static_assert(element_type_of<odd> == structure_of(3));
  static_assert(size_of(element_type_of<odd>) == 3 && is_structure(element_type_of<odd>));
  static_assert(!element<int*> && !element<std::string> && !element<const int> && !element<int[2]>);
  static_assert(!number_element<odd> && !number_element<std::complex<float>>);
  static_assert(alignment_of(element_type::f64) == 8 && alignment_of(element_type::u8) == 1);
  static_assert(alignment_of(structure_of(24)) == 8 && alignment_of(structure_of(64)) == 8);
  static_assert(alignment_of(element_type::c64) == 4 && alignment_of(element_type::c128) == 8);
  static_assert(!element<std::nullptr_t>);
  EXPECT_EQ(to_string(element_type_of<odd>), "3 bytes");
  EXPECT_EQ(to_string(element_type::c128), "complex<double>");
  EXPECT_TRUE(is_element_type(static_cast<std::uint64_t>(structure_of(65536))));
  EXPECT_FALSE(is_element_type(static_cast<std::uint64_t>(structure_of(65536)) + 1));
  EXPECT_FALSE(is_element_type(static_cast<std::uint64_t>(element_type::structures)));
  EXPECT_FALSE(is_element_type(static_cast<std::uint64_t>(element_type::f8e5m2) + 1));
}

}  // namespace
}  // namespace hocket
