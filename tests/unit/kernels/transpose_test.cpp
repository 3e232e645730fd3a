// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <gtest/gtest.h>

#include <hocket/core/error.hpp>
#include <hocket/kernels/ops.hpp>

#include "support.hpp"

namespace hocket::testing {
namespace {

template <class T>
const kernel_definition& transpose_of() {
  return *ops::transpose.resolve<in_buffer<T, 2>, out_buffer<T, 2>>().definition();
}

template <class T>
void expect_transposed(const tensor<T>& from, const tensor<T>& to) {
  for (std::size_t i = 0; i < from.extents()[0]; ++i) {
    for (std::size_t j = 0; j < from.extents()[1]; ++j) ASSERT_EQ(to(j, i), from(i, j));
  }
  EXPECT_TRUE(to.intact());
}

template <class T>
void check_all(lane_group& lanes) {
  constexpr std::size_t sizes[][2] = {{0, 3},   {3, 0},   {1, 1},    {1, 100},    {100, 1},
                                      {31, 33}, {32, 32}, {65, 129}, {1030, 513}, {3, 70001}};
  std::mt19937_64 random(5);
  for (const auto& [rows, columns] : sizes) {
    for (const std::size_t padding : {0U, 3U}) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
      tensor<T> from({rows, columns}, padding), to({columns, rows}, padding / 2);
      from.fill(random, 0, 100);
      launch(transpose_of<T>(), lanes, {}, {from.argument(), to.argument()});
      expect_transposed(from, to);
    }
  }
}

TEST(transpose, puts_rows_in_the_place_of_columns) {
  shuffled_lanes shuffled(3);
  check_all<float>(shuffled);
  check_all<std::int8_t>(shuffled);
  threaded_lanes threads(3);
  check_all<double>(threads);
}

TEST(transpose, refuses_another_shape) {
  const tensor<float> from({2, 3}), to({2, 3});
  shuffled_lanes lanes(1);
  try {
    launch(transpose_of<float>(), lanes, {}, {from.argument(), to.argument()});
    FAIL() << "It was not refused.";
  } catch (const usage_error& e) {
    EXPECT_STREQ(e.what(),
                 "Kernel \"transpose\" is given a transpose of 2 x 3, but its matrix asks for one "
                 "of 3 x 2.");
  }
}

}  // namespace
}  // namespace hocket::testing
