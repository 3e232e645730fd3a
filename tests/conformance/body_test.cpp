// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <array>
#include <numeric>
#include <stdexcept>

#include "conformance.hpp"

namespace hocket::testing {

namespace {

constexpr std::size_t count = 10007;

/// Notes which ranges a body was given, by where they begin.
launch_command note_ranges(std::vector<std::size_t>& end_of, body_width width) {
  return launch(
      [&end_of](const host_launch& l) {
        l.lanes.for_ranges(count, 64,
                           [&](std::size_t begin, std::size_t end) { end_of[begin] = end; });
      },
      width);
}

}  // namespace

TEST_P(conformance, ranges_are_the_same_in_serial_and_wide_bodies) {
  if (!runs_host_bodies()) GTEST_SKIP() << needs_host_bodies;
  std::vector<std::size_t> serial(count), wide(count);
  submit(first().compute(0), note_ranges(serial, body_width::serial));
  finish(submit(first().compute(0), note_ranges(wide, body_width::wide)));
  EXPECT_EQ(serial, wide);
  for (std::size_t begin = 0; begin < count; begin = serial[begin]) {
    ASSERT_EQ(serial[begin], std::min(begin + 64, count));
  }
}

TEST_P(conformance, a_body_sees_its_region_and_its_scalars) {
  if (!runs_host_bodies()) GTEST_SKIP() << needs_host_bodies;
  std::vector<float> values(6 * 5);
  std::iota(values.begin(), values.end(), 0.0F);
  launch_command l = launch([](const host_launch& given) {
    const buffer_argument& b = given.buffers[0];
    if (b.extents != index_list{2, 3} || b.strides != index_list{5, 1}) {
      throw std::logic_error("other extents or strides");
    }
    float* const base = static_cast<float*>(b.base);
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 3; ++j) base[i * 5 + j] = given.scalars[0].as<float>();
    }
  });
  l.buffers = {
      part<float>({values.data(), values.size() * sizeof(float)}, {6, 5}, {{3, 1}, {5, 4}})};
  l.scalars = {scalar_argument::of(-1.0F)};
  const timepoint done = submit(first().compute(0), std::move(l));
  finish(done);
  ASSERT_FALSE(result(done).why) << result(done).why.message();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool inside = i / 5 >= 3 && i / 5 < 5 && i % 5 >= 1 && i % 5 < 4;
    EXPECT_EQ(values[i], inside ? -1.0F : static_cast<float>(i)) << i;
  }
}

TEST_P(conformance, what_a_body_throws_is_the_tasks_failure_and_the_stream_goes_on) {
  if (!runs_host_bodies()) GTEST_SKIP() << needs_host_bodies;
  for (const body_width width : {body_width::serial, body_width::wide}) {
    const timepoint bad =
        submit(first().compute(0), launch(
                                       [](const host_launch& l) {
                                         l.lanes.for_ranges(100, 1, [](std::size_t at, auto) {
                                           if (at == 50) {
                                             throw std::out_of_range("fifty");
                                           }
                                         });
                                       },
                                       width));
    const timepoint odd =
        submit(first().compute(0), launch([](const host_launch&) { throw 17; }, width));
    const timepoint good = submit(first().compute(0), nothing(), {bad});
    finish(good);
    EXPECT_EQ(result(bad).why.code(), failure_code::task_failed);
    EXPECT_NE(result(bad).why.message().find("fifty"), std::string::npos);
    EXPECT_NE(result(bad).why.message().find("\"test\""), std::string::npos);
    EXPECT_THROW(std::rethrow_exception(result(bad).why.thrown()), std::out_of_range);
    EXPECT_EQ(result(odd).why.code(), failure_code::task_failed);
    EXPECT_THROW(std::rethrow_exception(result(odd).why.thrown()), int);
    EXPECT_FALSE(result(good).why);
  }
}

TEST_P(conformance, a_command_that_cannot_be_made_fails_in_its_turn) {
  const failure why(failure_code::internal, "It cannot be made.");
  const timepoint one = submit(first().compute(0), failed_command{why});
  const timepoint two = submit(first().inbound(), failed_command{why}, {one});
  finish(one);
  finish(two);
  EXPECT_EQ(result(one).why.message(), why.message());
  EXPECT_EQ(result(two).why.code(), failure_code::internal);
}

}  // namespace hocket::testing
