// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/core/packed.hpp>

#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <hocket/core/dtype.hpp>
#include <hocket/core/error.hpp>

namespace hocket {
namespace {

template <class T>
class packed : public ::testing::Test {};
using packed_types = ::testing::Types<packed_i4, packed_u4, packed_i2, packed_u2>;
TYPED_TEST_SUITE(packed, packed_types, );

TYPED_TEST(packed, hold_the_integers_of_each_byte) {
  static_assert(sizeof(TypeParam) == 1 && std::is_trivially_copyable_v<TypeParam>);
  constexpr int values = TypeParam::greatest - TypeParam::lowest + 1;
  for (unsigned bits = 0; bits < 256; ++bits) {
    const auto byte = TypeParam::from_bits(static_cast<std::uint8_t>(bits));
    TypeParam made = TypeParam::from_bits(static_cast<std::uint8_t>(~bits));
    unsigned rest = bits;
    for (std::size_t i = 0; i < TypeParam::count; ++i) {
      const int found = byte.get(i);
      EXPECT_TRUE(found >= TypeParam::lowest && found <= TypeParam::greatest);
      EXPECT_EQ((found + values) % values, static_cast<int>(rest) % values);  // the lowest bits
      rest /= values;
      made.set(i, found);
    }
    EXPECT_EQ(made, byte);
  }
}

TYPED_TEST(packed, take_the_nearest_value) {
  TypeParam made;
  const auto check = [&](auto value, int expected) {
    made.set_saturated(TypeParam::count - 1, value);
    EXPECT_EQ(made.get(TypeParam::count - 1), expected) << value;
    EXPECT_EQ(made.get(0), 0);
  };
  for (int value = -20; value < 20; ++value) {
    const int expected = std::max(TypeParam::lowest, std::min(TypeParam::greatest, value));
    check(value, expected);
    check(static_cast<float>(value), expected);
    check(static_cast<double>(value), expected);
    check(static_cast<std::int8_t>(value), expected);
    if (value >= 0) check(static_cast<unsigned>(value), expected);
  }
  check(std::numeric_limits<float>::infinity(), TypeParam::greatest);
  check(-std::numeric_limits<float>::infinity(), TypeParam::lowest);
  check(std::numeric_limits<float>::quiet_NaN(), TypeParam::lowest);
  check(std::numeric_limits<std::uint64_t>::max(), TypeParam::greatest);
  check(std::numeric_limits<std::int64_t>::min(), TypeParam::lowest);
  check(0.9F, 0);
  check(bfloat16(-0.9F), 0);
}

template <class F>
std::string refusal(F f) {
  try {
    f();
  } catch (const usage_error& e) {
    return e.what();
  }
  return "none";
}

TEST(packed_integers, refuse_what_does_not_fit) {
  packed_i4 pair(-8, 7);
  EXPECT_EQ(refusal([&] { pair.set(1, 8); }),
            "Integer 1 of a packed_i4 is to be 8; it holds integers from -8 to 7. "
            "set_saturated() takes the nearest of them.");
  EXPECT_EQ(refusal([] { (void)packed_u2(0, 3, -1, 0); }),
            "Integer 2 of a packed_u2 is to be -1; it holds integers from 0 to 3. "
            "set_saturated() takes the nearest of them.");
  EXPECT_EQ(refusal([&] { pair.set(0, std::numeric_limits<std::uint64_t>::max()); }),
            "Integer 0 of a packed_i4 is to be 18446744073709551615; it holds integers from -8 to "
            "7. set_saturated() takes the nearest of them.");
  EXPECT_EQ(refusal([&] { (void)pair.get(2); }),
            "Integer 2 of a packed_i4 is asked for; it holds 2 integers, numbered from 0.");
  EXPECT_EQ(refusal([] { packed_i2().set_saturated(4, 0); }),
            "Integer 4 of a packed_i2 is asked for; it holds 4 integers, numbered from 0.");
  EXPECT_EQ(pair, packed_i4(-8, 7));
}

TEST(packed_integers, are_bytes_with_the_first_integer_in_the_lowest_bits) {
  static_assert(packed_u4(1, 2).bits() == 0x21 && packed_i4(-1, 0).bits() == 0x0f);
  static_assert(packed_u2(0, 1, 2, 3).bits() == 0xe4 && packed_i2(-2, -1, 0, 1).get(0) == -2);
  static_assert(element<packed_i4> && !number_element<packed_i4>);
  static_assert(element_type_of<packed_i4> == element_type::u8);
  static_assert(element_type_of<packed_u2> == element_type::u8);
}

}  // namespace
}  // namespace hocket
