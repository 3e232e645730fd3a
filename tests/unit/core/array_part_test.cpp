// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <gtest/gtest.h>

#include <hocket/core/array_part.hpp>

namespace hocket {
namespace {

TEST(array_part, knows_the_bytes_that_its_region_spans) {
  const array_part all(element_type::f32, {10, 8}, box::whole({10, 8}));
  EXPECT_EQ(all.first_byte(), 0U);
  EXPECT_EQ(all.spanned_bytes(), 320U);
  const array_part tile(element_type::f32, {10, 8}, {{2, 3}, {5, 7}});
  EXPECT_EQ(tile.first_byte(), 76U);
  EXPECT_EQ(tile.spanned_bytes(), 80U) << "two rows and four elements";
  const array_part one(element_type::f64, {}, box::whole({}));
  EXPECT_EQ(one.spanned_bytes(), 8U);
}

}  // namespace
}  // namespace hocket
