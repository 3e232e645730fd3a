// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Tasks on parts of buffers that are larger than the memory of the device.

#include <numeric>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/hocket.hpp>

namespace hocket {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr std::size_t rows = 64, columns = 1024;  // 256 KiB

runtime_options small_devices() {
  return {.backends = {{"sim", "2,memory=64K"}}, .clock = clock_kind::simulated};
}

const auto add_one = elementwise("add one", [](auto& x) { x = x + 1.0F; });

class tiled_launches : public ::testing::Test {
 protected:
  explicit tiled_launches(const runtime_options& options = small_devices()) : rt(options) {}

  /// Element (i, j) is i + j.
  [[nodiscard]] buffer<float, 2> numbers() {
    const buffer<float, 2> made{rt, {rows, columns}};
    rt.submit(
        [](buffer_view<float, 2> to) {
          for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < columns; ++j) to(i, j) = static_cast<float>(i + j);
          }
        },
        writes(made));
    return made;
  }
  static float at(const std::vector<float>& of, std::size_t i, std::size_t j) {
    return of[i * columns + j];
  }

  runtime rt;
  const task_options there{.on = rt.device("Sim0")};
};

TEST_F(tiled_launches, sum_rows) {
  const auto x = numbers();
  std::vector<future<float>> sums;
  for (std::size_t i = 0; i < rows; ++i) {
    sums.push_back(rt.submit(there, ops::sum, reads(x.rows(i, i + 1))));
  }
  for (std::size_t i = 0; i < rows; ++i) {
    EXPECT_EQ(sums[i].get(), static_cast<float>(columns * i + columns * (columns - 1) / 2));
  }
  EXPECT_EQ(rt.report().devices[1].name, "Sim0");
  EXPECT_GE(rt.report().devices[1].kernels, rows);
}

TEST_F(tiled_launches, update_tiles_and_nothing_else) {
  const auto x = numbers();
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 8; i < 56; i += 16) {
      for (std::size_t j = 100; j < 900; j += 200) {
        rt.submit(there, ops::fill, -1.0F, writes(x.tile({i, j}, {i + 4, j + 50})));
        rt.submit(there, add_one, updates(x.tile({i, j}, {i + 8, j + 100})));
      }
    }
  }
  const std::vector<float> found = x.to_vector();
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const bool in_row = i >= 8 && i < 56 && (i - 8) % 16 < 8;
      const bool in_column = j >= 100 && j < 900 && (j - 100) % 200 < 100;
      const bool is_filled = (i - 8) % 16 < 4 && (j - 100) % 200 < 50;
      float expected = static_cast<float>(i + j);
      if (in_row && in_column) expected = is_filled ? 0.0F : expected + 3;
      ASSERT_EQ(at(found, i, j), expected) << i << ", " << j;
    }
  }
}

TEST_F(tiled_launches, read_several_buffers) {
  const auto x = numbers(), y = numbers();
  const buffer<float, 2> z{rt, {rows, columns}, 0.0F};
  const auto sum = elementwise("sum of three", [](const auto& a, const auto& b, const auto& c,
                                                  auto& to) { to = a + b + c; });
  for (std::size_t i = 0; i + 4 <= rows; i += 4) {
    rt.submit(there, sum, reads(x.rows(i, i + 4)), reads(y.rows(i, i + 4)),
              reads(x.rows(rows - i - 4, rows - i)), writes(z.rows(i, i + 4)));
  }
  const std::vector<float> found = z.to_vector();
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t other = rows - i / 4 * 4 - 4 + i % 4;
    ASSERT_EQ(at(found, i, 7), static_cast<float>(2 * (i + 7) + other + 7)) << i;
  }
}

TEST_F(tiled_launches, follow_one_another_in_the_order_of_their_data) {
  const auto x = numbers();
  for (std::size_t round = 0; round < 20; ++round) {
    const std::size_t first = round % 5;
    rt.submit(there, add_one, updates(x.rows(first, first + 8)));
  }
  const std::vector<float> found = x.to_vector();
  for (std::size_t i = 0; i < 16; ++i) {
    std::size_t rounds = 0;
    for (std::size_t first = 0; first < 5; ++first) rounds += i >= first && i < first + 8 ? 4 : 0;
    ASSERT_EQ(at(found, i, 3), static_cast<float>(i + 3 + rounds)) << i;
  }
}

TEST_F(tiled_launches, that_fail_spoil_their_tile_alone) {
  const auto x = numbers();
  const kernel<inout_buffer<float, 2>> fails{
      "fails", host_body{[](buffer_view<float, 2>) { throw std::runtime_error("planned"); }}};
  const auto failed = rt.submit(there, fails, updates(x.rows(8, 16)));
  EXPECT_THROW(failed.get(), std::runtime_error);
  EXPECT_NO_THROW(rt.wait());  // that failure was looked at
  EXPECT_EQ(rt.submit(there, ops::sum, reads(x.rows(0, 1))).get(),
            static_cast<float>(columns * (columns - 1) / 2));
  EXPECT_THROW((void)rt.submit(there, ops::sum, reads(x.rows(15, 17))).get(), error);
  rt.submit(there, ops::fill, 1.0F, writes(x.rows(8, 16)));
  EXPECT_EQ(rt.submit(there, ops::sum, reads(x.rows(8, 9))).get(), static_cast<float>(columns));
}

TEST_F(tiled_launches, that_are_cancelled_give_back_their_room) {
  const auto x = numbers();
  for (int round = 0; round < 50; ++round) {
    std::stop_source stop;
    task_options options = there;
    options.stop = stop.get_token();
    (void)rt.submit(options, add_one, updates(x.rows(0, 12)));
    stop.request_stop();
    rt.submit(there, ops::fill, 2.0F, writes(x.rows(0, 12)));
  }
  rt.submit(there, add_one, updates(x.rows(0, 12)));
  EXPECT_EQ(rt.submit(there, ops::sum, reads(x.rows(11, 12))).get(),
            static_cast<float>(3 * columns));
}

TEST_F(tiled_launches, belong_to_their_scope) {
  const auto x = numbers();
  {
    task_scope scope(rt);
    for (std::size_t i = 0; i + 8 <= rows; i += 8) {
      scope.submit(there, add_one, updates(x.rows(i, i + 8)));
    }
  }
  EXPECT_EQ(rt.pending().tasks.size(), 0U);
  EXPECT_EQ(at(x.to_vector(), 63, 0), 64.0F);
}

TEST_F(tiled_launches, are_not_recorded) {
  const auto x = numbers();
  try {
    (void)rt.record([&](submitter& to) { to.submit(there, add_one, updates(x.rows(0, 8))); });
    FAIL();
  } catch (const usage_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("Outside of a graph"));
  }
}

TEST_F(tiled_launches, too_large_for_the_device_are_refused) {
  const auto x = numbers();
  try {
    (void)rt.submit(there, ops::sum, reads(x.rows(0, 17)));
    FAIL();
  } catch (const usage_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("Sim0 has 65536"));
  }
}

class tiled_launches_that_survive : public tiled_launches {
 protected:
  static runtime_options surviving() {
    runtime_options made = small_devices();
    made.resilience = resilience_kind::survive;
    made.faults = fault_plan("fail Sim0 launch 3; fail Sim0 launch 7; fail Sim0 copy 5");
    return made;
  }
  tiled_launches_that_survive() : tiled_launches(surviving()) {}
};

TEST_F(tiled_launches_that_survive, failures_of_launches_and_devices) {
  const auto x = numbers();
  for (int round = 0; round < 10; ++round) {
    for (std::size_t i = 0; i + 8 <= rows; i += 8) {
      rt.submit(there, add_one, updates(x.rows(i, i + 8)));
    }
  }
  EXPECT_EQ(at(x.to_vector(), 40, 5), 55.0F);
  EXPECT_GT(rt.report().retried_commands, 0U);
}

}  // namespace
}  // namespace hocket
