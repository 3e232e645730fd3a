// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/kernels/view.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <hocket/core/error.hpp>

#include "support.hpp"

namespace hocket::testing {
namespace {

TEST(view, indexes_a_strided_region) {
  tensor<int> region({2, 3}, 4);
  for (std::size_t i = 0; i < 6; ++i) region[i] = static_cast<int>(i);
  const buffer_view<const int, 2> seen(region.argument());
  EXPECT_EQ(seen.size(), 6u);
  EXPECT_EQ(seen.extent(0), 2u);
  EXPECT_EQ(seen.stride(0), 7u);
  EXPECT_FALSE(seen.contiguous());
  EXPECT_EQ(seen(1, 2), 5);
  EXPECT_EQ(seen(0, 1), 1);
}

TEST(view, iterates_where_it_is_contiguous) {
  tensor<float> region({3, 5});
  const buffer_view<float, 2> seen(region.argument());
  EXPECT_TRUE(seen.contiguous());
  float next = 0;
  for (float& element : seen) element = next++;
  EXPECT_EQ(seen(2, 4), 14.0f);
  EXPECT_TRUE(region.intact());
}

TEST(view, has_no_beginning_where_there_are_gaps) {
  tensor<int> region({2, 3}, 4);
  const buffer_view<int, 2> seen(region.argument());
  EXPECT_THROW((void)seen.begin(), usage_error);
  EXPECT_THROW(std::ranges::sort(seen), usage_error);
  EXPECT_THROW((void)strided_view<int>(region.argument()).end(), usage_error);
  const tensor<int> empty({0, 3}, 4);
  EXPECT_EQ((buffer_view<const int, 2>(empty.argument()).begin()), empty.argument().base);
}

TEST(view, one_row_of_a_wider_array_is_contiguous) {
  const tensor<double> row({1, 4}, 3), empty({0, 4}, 3), column({4, 1}, 3);
  EXPECT_TRUE((buffer_view<const double, 2>(row.argument()).contiguous()));
  EXPECT_TRUE((buffer_view<const double, 2>(empty.argument()).contiguous()));
  EXPECT_FALSE((buffer_view<const double, 2>(column.argument()).contiguous()));
  EXPECT_TRUE(strided_view<const double>(row.argument()).contiguous());
  EXPECT_TRUE(strided_view<const double>(empty.argument()).contiguous());
  EXPECT_FALSE(strided_view<const double>(column.argument()).contiguous());
}

TEST(strided_view, visits_runs_that_are_as_long_as_the_layout_allows) {
  const auto runs = [](const buffer_argument& argument) {
    std::vector<std::size_t> lengths;
    strided_view<const int>(argument).for_each_run(
        [&](std::span<const int> run) { lengths.push_back(run.size()); });
    return lengths;
  };
  const tensor<int> dense({2, 3, 4}), padded({2, 3, 4}, 1), scalar(index_list{}), empty({2, 0});
  EXPECT_EQ(runs(dense.argument()), (std::vector<std::size_t>{24}));
  EXPECT_EQ(runs(padded.argument()), std::vector<std::size_t>(6, 4));
  EXPECT_EQ(runs(scalar.argument()), (std::vector<std::size_t>{1}));
  EXPECT_TRUE(runs(empty.argument()).empty());
  const tensor<int> column({3, 1}, 2);
  EXPECT_EQ(runs(column.argument()), std::vector<std::size_t>(3, 1));
}

TEST(strided_view, indexes) {
  tensor<int> region({2, 2, 2}, 1);
  region[5] = 42;
  const strided_view<const int> seen(region.argument());
  const std::size_t at[] = {1, 0, 1};
  EXPECT_EQ(seen(at), 42);
  EXPECT_EQ(seen.rank(), 3u);
  EXPECT_EQ(seen.size(), 8u);
}

TEST(loop_nest, covers_every_range_once_and_in_order) {
  const index_list extents{3, 1, 4, 5}, wide_strides{60, 60, 10, 2}, dense{20, 20, 5, 1};
  const loop_nest<2> nest(extents, {&wide_strides, &dense});
  EXPECT_EQ(nest.size(), 60u);
  EXPECT_FALSE(nest.dense());
  for (std::size_t begin = 0; begin <= 60; begin += 7) {
    std::size_t expected = begin;
    const std::size_t end = std::min<std::size_t>(60, begin + 23);
    nest.for_runs(begin, end, [&](const auto& offsets, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i, ++expected) {
        EXPECT_EQ(offsets[1] + i * nest.run_strides()[1], expected);
        const std::size_t plane = expected / 20, rest = expected % 20;
        EXPECT_EQ(offsets[0] + i * nest.run_strides()[0],
                  plane * 60 + rest / 5 * 10 + rest % 5 * 2);
      }
    });
    EXPECT_EQ(expected, end);
  }
}

}  // namespace
}  // namespace hocket::testing
