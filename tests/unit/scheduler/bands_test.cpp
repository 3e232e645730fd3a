// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Tasks on parts of buffers that are larger than the memory of the device: replicas of bands.

#include <stdexcept>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/hocket.hpp>

namespace hocket {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t rows = 64, columns = 1024;  // 256 KiB

runtime_options small_devices() {
  return {.backends = {{"sim", "2,memory=64K"}}, .clock = clock_kind::simulated};
}

const auto add_one = elementwise("add one", [](auto& x) { x = x + 1.0F; });

class band_replicas : public ::testing::Test {
 protected:
  explicit band_replicas(const runtime_options& options = small_devices()) : rt(options) {}

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

TEST_F(band_replicas, sum_rows) {
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

TEST_F(band_replicas, of_an_empty_part_need_not_stay) {
  const auto use = kernel<in_buffer<float>, in_buffer<float>, inout_buffer<float>>{
      "use",
      host_body{[](buffer_view<const float>, buffer_view<const float>, buffer_view<float>) {}}};
  // Two of them fit, three do not.
  const buffer<float> x{rt, 6000, 1.0F}, y{rt, 6000, 2.0F}, z{rt, 6000, 3.0F};
  rt.submit(there, add_one, updates(z));
  rt.submit(there, use, reads(x), reads(y), updates(z.rows(10, 10))).get();
  EXPECT_THAT(z.to_vector(), ::testing::Each(4.0F));
}

TEST_F(band_replicas, update_tiles_and_nothing_else) {
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

TEST_F(band_replicas, read_several_buffers) {
  const auto x = numbers(), y = numbers();
  const buffer<float, 2> z{rt, {rows, columns}, 0.0F};
  const auto sum = elementwise("sum of three", [](const auto& a, const auto& b, const auto& c,
                                                  auto& to) { to = a + b + c; });
  for (std::size_t i = 0; i + 4 <= rows; i += 4) {
    // Rows in front of those of x too: one band has both.
    const std::size_t before = i < 4 ? i : i - 4;
    rt.submit(there, sum, reads(x.rows(i, i + 4)), reads(y.rows(rows - i - 4, rows - i)),
              reads(x.rows(before, before + 4)), writes(z.rows(i, i + 4)));
  }
  const std::vector<float> found = z.to_vector();
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t first = i / 4 * 4, of_y = rows - first - 4 + i % 4;
    const std::size_t before = i < 4 ? i : i - 4;
    ASSERT_EQ(at(found, i, 7), static_cast<float>(i + of_y + before + 3 * 7)) << i;
  }
}

TEST_F(band_replicas, follow_one_another_in_the_order_of_their_data) {
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

TEST_F(band_replicas, that_fail_spoil_their_tile_alone) {
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

TEST_F(band_replicas, that_are_cancelled_give_back_their_room) {
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

TEST_F(band_replicas, belong_to_their_scope) {
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

TEST_F(band_replicas, are_for_recorded_graphs_too) {
  const auto x = numbers();
  const graph steps = rt.record([&](submitter& to) {
    for (std::size_t i = 0; i + 8 <= rows; i += 8) {
      to.submit(there, add_one, updates(x.rows(i, i + 8)));
    }
  });
  for (int run = 0; run < 12; ++run) rt.run(steps).wait();
  for (int run = 0; run < 8; ++run) rt.run(steps);
  EXPECT_EQ(at(x.to_vector(), 63, 0), 63.0F + 20);
}

TEST(band_replicas_of_a_shared_runtime, keep_what_several_threads_update) {
  runtime rt{{.backends = {{"sim", "2,memory=64K"}}}};
  const task_options there{.on = rt.device("Sim0")};
  const buffer<float, 2> x{rt, {rows, columns}, 0.0F};
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 100; ++i) {
        const std::size_t first = (t + i) % 4 * 16;
        rt.submit(there, add_one, updates(x.rows(first, first + 12)));
      }
    });
  }
  threads.clear();
  const std::vector<float> found = x.to_vector();
  for (std::size_t i = 0; i < rows; ++i) {
    ASSERT_EQ(found[i * columns + 5], i % 16 < 12 ? 100.0F : 0.0F) << i;
  }
}

TEST_F(band_replicas, follow_a_stencil_with_its_neighbours) {
  const auto x = numbers();
  const buffer<float, 2> y{rt, {rows, columns}, 0.0F};
  const kernel<in_buffer<float, 2>, out_buffer<float, 2>> above_and_below{
      "above and below", host_body{[](buffer_view<const float, 2> from, buffer_view<float, 2> to) {
        for (std::size_t i = 0; i < to.extent(0); ++i) {
          for (std::size_t j = 0; j < columns; ++j) to(i, j) = from(i, j) + from(i + 2, j);
        }
      }}};
  for (std::size_t i = 0; i + 4 <= rows; i += 4) {
    const std::size_t begin = i == 0 ? 1 : i, end = i + 4 == rows ? rows - 1 : i + 4;
    rt.submit(there, above_and_below, reads(x.rows(begin - 1, end + 1)),
              writes(y.rows(begin, end)));
  }
  const std::vector<float> found = y.to_vector();
  for (std::size_t i = 1; i + 1 < rows; ++i) {
    ASSERT_EQ(at(found, i, 9), static_cast<float>(2 * (i + 9))) << i;
  }
}

TEST_F(band_replicas, make_way_for_whole_buffers_and_come_back) {
  const auto x = numbers();
  const buffer<float> small{rt, std::size_t{12 * 1024}, 1.0F};  // 48 of 64 KiB
  for (std::size_t round = 0; round < 20; ++round) {
    rt.submit(there, add_one, updates(x.rows(round, round + 10)));
    rt.submit(there, add_one, updates(small));
  }
  EXPECT_EQ(small.to_vector().back(), 21.0F);
  EXPECT_EQ(at(x.to_vector(), 19, 0), 19.0F + 10);
}

TEST_F(band_replicas, end_when_a_whole_buffer_has_to_share) {
  // All of one fits by itself, and is there; beside a part of the other one it does not.
  const buffer<float, 2> x{rt, {12, columns}, 1.0F}, y{rt, {12, columns}, 2.0F};
  rt.submit(there, add_one, updates(x));
  const auto sum =
      elementwise("sum of two", [](const auto& a, const auto& b, auto& to) { to = a + b; });
  const buffer<float, 2> z{rt, {2, columns}, 0.0F};
  rt.submit(there, sum, reads(x.rows(4, 6)), reads(y.rows(8, 10)), writes(z));
  rt.submit(there, add_one, updates(x));
  EXPECT_EQ(z.to_vector(), std::vector<float>(2 * columns, 4.0F));
  EXPECT_EQ(x.to_vector(), std::vector<float>(12 * columns, 3.0F));
}

TEST_F(band_replicas, are_copied_by_way_of_the_host) {
  const auto x = numbers();
  const task_options other{.on = rt.device("Sim1")};
  for (int round = 0; round < 10; ++round) {
    rt.submit(round % 2 == 0 ? there : other, add_one, updates(x.rows(3, 9)));
  }
  EXPECT_EQ(at(x.to_vector(), 5, 0), 15.0F);
}

TEST_F(band_replicas, of_single_rows_and_of_parts_of_rows) {
  const buffer<float> line{rt, std::size_t{64 * 1024}, 1.0F};  // 256 KiB
  const buffer<float, 3> cube{rt, {2, 64, 512}, 1.0F};
  for (std::size_t i = 0; i < 64; ++i) {
    rt.submit(there, add_one, updates(line.tile({i * 1000 + 7}, {i * 1000 + 900})));
    rt.submit(there, add_one, updates(cube.tile({1, i, 100}, {2, i + 1, 300})));
  }
  EXPECT_EQ(rt.submit(there, ops::sum, reads(line.tile({1007}, {1900}))).get(), 2 * 893.0F);
  const std::vector<float> found = cube.to_vector();
  EXPECT_EQ(found[(64 + 63) * 512 + 299], 2.0F);
  EXPECT_EQ(found[(64 + 63) * 512 + 300], 1.0F);
  EXPECT_EQ(found[63 * 512 + 200], 1.0F);
}

TEST_F(band_replicas, leave_room_for_the_result) {
  // All of the memory, and the sum would need four bytes more.
  const buffer<float, 2> x{rt, {16, columns}, 1.0F};
  rt.submit(there, add_one, updates(x));
  const buffer<float> other{rt, std::size_t{8192}, 1.0F};
  rt.submit(there, add_one, updates(other));
  EXPECT_EQ(rt.submit(there, ops::sum, reads(x.rows(0, 2))).get(), 4.0F * columns);
  EXPECT_EQ(rt.submit(there, ops::sum, reads(x.rows(12, 16))).get(), 8.0F * columns);
  EXPECT_THROW((void)rt.submit(there, ops::sum, reads(x)), usage_error);
}

TEST_F(band_replicas, of_what_the_host_cannot_hold_are_refused) {
  const buffer<float, 2> x{rt, {std::size_t{1} << 38U, 1024}};
  try {
    (void)rt.submit(there, ops::fill, 1.0F, writes(x.rows(0, 1)));
    FAIL();
  } catch (const usage_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("which the memory of the host has to hold"));
  }
}

TEST_F(band_replicas, of_one_device_do_not_concern_another) {
  const auto x = numbers();
  const task_options other{.on = rt.device("Sim1")};
  const buffer<float> y{rt, std::size_t{1024}, 1.0F};
  const auto time_of_work = [&] {
    rt.wait();
    const time_stamp begin = rt.now();
    for (int i = 0; i < 20; ++i) {
      rt.submit([](buffer_view<float> all) { all(0) += 1.0F; }, updates(y));
      rt.submit(other, add_one, updates(y));
    }
    rt.wait();
    return rt.now() - begin;
  };
  (void)time_of_work();
  const nanoseconds before = time_of_work();
  rt.submit(there, add_one, updates(x.rows(0, 8)));
  EXPECT_LE(time_of_work(), before);
}

TEST_F(band_replicas, too_large_for_the_device_are_refused) {
  const auto x = numbers();
  try {
    (void)rt.submit(there, ops::sum, reads(x.rows(0, 17)));
    FAIL();
  } catch (const usage_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("Sim0 has 65536"));
  }
}

class band_replicas_that_survive : public band_replicas {
 protected:
  static runtime_options surviving() {
    runtime_options made = small_devices();
    made.resilience = resilience_kind::survive;
    made.faults = fault_plan("fail Sim0 launch 3; fail Sim0 launch 7; fail Sim0 copy 5");
    return made;
  }
  band_replicas_that_survive() : band_replicas(surviving()) {}
};

TEST_F(band_replicas_that_survive, failures_of_launches_and_devices) {
  const auto x = numbers();
  for (int round = 0; round < 10; ++round) {
    for (std::size_t i = 0; i + 8 <= rows; i += 8) {
      rt.submit(there, add_one, updates(x.rows(i, i + 8)));
    }
  }
  EXPECT_EQ(at(x.to_vector(), 40, 5), 55.0F);
  EXPECT_GT(rt.report().retried_commands, 0U);
}

class band_replicas_on_a_device_that_is_lost : public band_replicas {
 protected:
  static runtime_options surviving() {
    runtime_options made = small_devices();
    made.resilience = resilience_kind::survive;
    made.faults = fault_plan("lose Sim0 launch 40");
    return made;
  }
  band_replicas_on_a_device_that_is_lost() : band_replicas(surviving()) {}
};

TEST_F(band_replicas_on_a_device_that_is_lost, are_made_again) {
  const auto x = numbers();
  for (int round = 0; round < 10; ++round) {
    for (std::size_t i = 0; i + 8 <= rows; i += 8) {
      rt.submit(there, add_one, updates(x.rows(i, i + 8)));
    }
  }
  const std::vector<float> found = x.to_vector();
  for (std::size_t i = 0; i < rows; ++i) {
    ASSERT_EQ(at(found, i, 5), static_cast<float>(i + 5 + 10)) << i;
  }
  EXPECT_EQ(rt.report().recoveries, 1U);
}

}  // namespace
}  // namespace hocket
