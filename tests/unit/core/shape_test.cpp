// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/core/error.hpp>
#include <hocket/core/shape.hpp>

namespace hocket {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::size_t most = std::numeric_limits<std::size_t>::max();

TEST(shape, volume_is_the_product) {
  EXPECT_EQ(volume({}), 1U);
  EXPECT_EQ(volume({7}), 7U);
  EXPECT_EQ(volume({2, 3, 4, 5, 6}), 720U);
  EXPECT_EQ(volume({2, 0, 4}), 0U);
  EXPECT_EQ(volume({most, 1}), most);
}

TEST(shape, volume_refuses_what_a_size_t_cannot_count) {
  EXPECT_THAT(
      [] {
        (void)volume({most / 2, 3});
      },
      ThrowsMessage<usage_error>(HasSubstr("more elements than a size_t can count")));
  EXPECT_THROW((void)box::whole({2, 2, 2, most / 4}).elements(), usage_error);
}

TEST(shape, strides_are_row_major) {
  EXPECT_EQ(dense_strides({}), index_list{});
  EXPECT_EQ(dense_strides({9}), index_list{1});
  EXPECT_EQ(dense_strides({2, 3, 4}), (index_list{12, 4, 1}));
  EXPECT_EQ(dense_strides({2, 3, 4, 5}), (index_list{60, 20, 5, 1}));
}

TEST(shape, a_box_is_empty_if_one_dimension_is) {
  EXPECT_FALSE((box{}.empty()));
  EXPECT_TRUE((box{{2}, {2}}.empty()));
  EXPECT_FALSE((box{{2}, {3}}.empty()));
  EXPECT_TRUE((box{{0, 3}, {4, 3}}.empty()));
  EXPECT_TRUE((box{{0, 0, 0, 5}, {4, 4, 4, 2}}.empty()));
  EXPECT_EQ((box{{1, 5}, {4, 2}}.extents()), (index_list{3, 0}));
}

/// Every box of one dimension between 0 and 3, the empty and the inverted ones too.
std::vector<box> small_boxes() {
  std::vector<box> made;
  for (std::size_t first = 0; first < 4; ++first) {
    for (std::size_t last = 0; last < 4; ++last) made.push_back({{first}, {last}});
  }
  return made;
}

/// The product of two boxes of one dimension, in a space of that rank whose others are full.
box across(const box& a, const box& b, std::size_t rank) {
  box made = box::whole(index_list(rank, 4));
  made.begin[0] = a.begin[0];
  made.end[0] = a.end[0];
  made.begin[rank - 1] = b.begin[0];
  made.end[rank - 1] = b.end[0];
  return made;
}

bool has(const box& b, std::size_t element) { return b.begin[0] <= element && element < b.end[0]; }

// What two boxes have in common is told by their elements; all other dimensions are full.
class box_relations : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(ranks, box_relations, ::testing::Values(2, 3, 5));

TEST_P(box_relations, follow_from_their_elements) {
  const std::vector<box> sides = small_boxes();
  const box unit{{0}, {4}};
  for (const box& a0 : sides) {
    for (const box& b0 : sides) {
      bool common = false, all = true;
      for (std::size_t i = 0; i < 4; ++i) {
        common = common || (has(a0, i) && has(b0, i));
        all = all && (!has(b0, i) || has(a0, i));
      }
      for (const bool first : {true, false}) {
        const box a = first ? across(a0, unit, GetParam()) : across(unit, a0, GetParam());
        const box b = first ? across(b0, unit, GetParam()) : across(unit, b0, GetParam());
        EXPECT_EQ(overlap(a, b), common) << to_string(a) << " and " << to_string(b);
        EXPECT_EQ(contains(a, b), all) << to_string(a) << " and " << to_string(b);
        EXPECT_EQ(intersection(a, b).empty(), !common) << to_string(a) << " and " << to_string(b);
      }
    }
  }
}

TEST(shape, boxes_of_a_scalar_are_one_element) {
  EXPECT_TRUE(overlap(box{}, box{}));
  EXPECT_TRUE(contains(box{}, box{}));
  EXPECT_EQ(box{}.elements(), 1U);
}

TEST(shape, a_difference_is_made_of_disjoint_boxes) {
  const box a{{0, 0}, {4, 4}};
  const box b{{1, 2}, {3, 9}};
  std::size_t elements = intersection(a, b).elements();
  const auto parts = difference(a, b);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_FALSE(overlap(parts[i], b));
    EXPECT_TRUE(contains(a, parts[i]));
    elements += parts[i].elements();
    for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(overlap(parts[i], parts[j]));
  }
  EXPECT_EQ(elements, a.elements());
}

}  // namespace
}  // namespace hocket
