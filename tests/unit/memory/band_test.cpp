// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <gtest/gtest.h>

#include <hocket/memory/band.hpp>

namespace hocket {
namespace {

/// True if the elements of the box lie together in an array of these extents.
bool lie_together(const box& b, const index_list& extents) {
  const index_list strides = dense_strides(extents);
  std::size_t last = 0;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    last += (b.end[d] - b.begin[d] - 1) * strides[d];
  }
  return last + 1 == b.elements();
}

TEST(bands, around_rows_are_these_rows) {
  EXPECT_EQ(band_around({{3, 0}, {5, 8}}, {10, 8}), (box{{3, 0}, {5, 8}}));
  EXPECT_EQ(band_around({{3, 2}, {5, 4}}, {10, 8}), (box{{3, 0}, {5, 8}}));
}

TEST(bands, around_a_part_of_one_row_are_that_part) {
  EXPECT_EQ(band_around({{3, 2}, {4, 4}}, {10, 8}), (box{{3, 2}, {4, 4}}));
  EXPECT_EQ(band_around({{1, 3, 2}, {2, 4, 4}}, {4, 10, 8}), (box{{1, 3, 2}, {2, 4, 4}}));
  EXPECT_EQ(band_around({{1, 3, 2}, {2, 5, 4}}, {4, 10, 8}), (box{{1, 3, 0}, {2, 5, 8}}));
}

TEST(bands, around_the_element_of_a_scalar_are_the_scalar) {
  const box all = box::whole({});
  EXPECT_EQ(band_around(all, {}), all);
  EXPECT_EQ(band_around(all, {}, 4, 1000), all);
}

TEST(bands, divide_the_array_evenly_where_there_is_room) {
  // Rows of 32 bytes, four in 128.
  EXPECT_EQ(band_around({{5, 0}, {6, 8}}, {10, 8}, 4, 128), (box{{4, 0}, {8, 8}}));
  EXPECT_EQ(band_around({{5, 2}, {7, 3}}, {10, 8}, 4, 128), (box{{4, 0}, {8, 8}}));
  EXPECT_EQ(band_around({{9, 0}, {10, 8}}, {10, 8}, 4, 128), (box{{8, 0}, {10, 8}}));
  EXPECT_EQ(band_around({{9, 0}, {10, 8}}, {10, 8}, 4, 1000), (box{{0, 0}, {10, 8}}));
}

TEST(bands, begin_with_a_region_across_two) {
  EXPECT_EQ(band_around({{3, 0}, {5, 8}}, {10, 8}, 4, 128), (box{{3, 0}, {7, 8}}));
}

TEST(bands, are_parts_of_a_row_where_a_row_has_no_room) {
  EXPECT_EQ(band_around({{3, 5}, {4, 6}}, {10, 8}, 4, 16), (box{{3, 4}, {4, 8}}));
  EXPECT_EQ(band_around({{3, 5}, {5, 6}}, {10, 8}, 4, 16), (box{{3, 0}, {5, 8}}));
}

TEST(bands, have_all_of_any_region_and_lie_together) {
  const index_list extents{3, 4, 5};
  for (std::size_t at = 0; at < 60; ++at) {
    for (std::size_t size = 0; size < 60; ++size) {
      box region{{at / 20, at / 5 % 4, at % 5}, {3, 4, 5}};
      const index_list sizes{size / 20, size / 5 % 4, size % 5};
      for (std::size_t d = 0; d < 3; ++d) {
        region.end[d] = std::min(extents[d], region.begin[d] + 1 + sizes[d]);
      }
      const box least = band_around(region, extents);
      EXPECT_TRUE(contains(least, region));
      EXPECT_TRUE(lie_together(least, extents));
      for (const std::uint64_t bytes : {1U, 8U, 20U, 40U, 100U, 160U, 480U, 1000U}) {
        const box larger = band_around(region, extents, 8, bytes);
        EXPECT_TRUE(contains(larger, region));
        EXPECT_TRUE(lie_together(larger, extents));
        EXPECT_LE(larger.elements() * 8, std::max<std::size_t>(bytes, least.elements() * 8));
        const box placed = place_in(larger, region);
        EXPECT_EQ(placed.extents(), region.extents());
        EXPECT_TRUE(contains(box::whole(larger.extents()), placed));
      }
    }
  }
}

TEST(bands, begin_behind_the_elements_before_them) {
  EXPECT_EQ(elements_before({{3, 0}, {5, 8}}, {10, 8}), 24U);
  EXPECT_EQ(elements_before({{3, 2}, {4, 4}}, {10, 8}), 26U);
}

}  // namespace
}  // namespace hocket
