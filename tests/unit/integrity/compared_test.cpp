// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Tasks that run twice: a run that is corrupted is found, and outvoted by a third one.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../faults/rounds.hpp"

namespace hocket {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using testing::scale;

runtime_options options(const std::string& devices, const std::string& plan) {
  return {.backends = {{"sim", devices}},
          .clock = clock_kind::simulated,
          .topology = testing::machine("numa:1 core:2 pu:1"),
          .faults = plan};
}

class compared_tasks : public ::testing::Test {
 protected:
  check_counts_ref counts = std::make_shared<check_counts>();

  [[nodiscard]] compare_options how(runtime& rt, double tolerance = 0) const {
    return {.task = {.on = rt.device("Sim0"), .label = "twice"},
            .tolerance = tolerance,
            .counts = counts};
  }
  static std::uint64_t kernels_of(runtime& rt, const std::string& device) {
    for (const device_report& each : rt.report().devices) {
      if (each.name == device) return each.kernels;
    }
    return 0;
  }
};

TEST_F(compared_tasks, give_the_result_of_one_run) {
  runtime rt(options("2", ""));
  const buffer<float, 2> x{rt, {6, 7}, 1.0F}, y{rt, {6, 7}, 2.0F}, z{rt, {6, 7}};
  submit_compared(rt, how(rt), ops::axpy, 3.0F, reads(x), updates(y)).get();
  EXPECT_THAT(y.to_vector(), Each(5.0F));
  submit_compared(rt, how(rt), ops::add, reads(x), reads(y), writes(z)).get();
  EXPECT_THAT(z.to_vector(), Each(6.0F));
  EXPECT_EQ(counts->differed, 0U);
  EXPECT_GE(kernels_of(rt, "Sim0"), 2U);
  EXPECT_GE(kernels_of(rt, "Sim1"), 2U) << "the second runs";
}

TEST_F(compared_tasks, write_parts_of_buffers) {
  runtime rt(options("2", ""));
  const buffer<float, 2> x{rt, {6, 7}, 1.0F};
  submit_compared(rt, how(rt), ops::fill, 4.0F, writes(x.tile({1, 2}, {3, 5}))).get();
  const std::vector<float> content = x.to_vector();
  EXPECT_EQ(std::ranges::count(content, 4.0F), 6);
  EXPECT_EQ(content[1 * 7 + 2], 4.0F);
}

TEST_F(compared_tasks, run_on_the_host_alone) {
  runtime rt({.devices = "NUMA0", .topology = testing::machine("numa:1 core:2 pu:1")});
  const buffer<std::int32_t> x{rt, 100, 2};
  submit_compared(rt, {.counts = counts}, ops::axpy, 3, reads(buffer<std::int32_t>{rt, 100, 1}),
                  updates(x))
      .get();
  EXPECT_THAT(x.to_vector(), Each(5));
  EXPECT_EQ(counts->differed, 0U);
}

TEST_F(compared_tasks, are_right_whichever_launch_is_corrupted) {
  for (const char* const devices : {"1", "2", "3"}) {
    for (const char* const device : {"Sim0", "Sim1"}) {
      if (*devices == '1' && device == std::string("Sim1")) continue;
      std::uint64_t corrupted = 1;
      int number = 0;
      counts = std::make_shared<check_counts>();
      while (corrupted > 0 && number < 100) {
        const std::string plan =
            "corrupt " + std::string(device) + " launch " + std::to_string(++number);
        runtime rt(options(devices, plan));
        const buffer<float> x{rt, shape<1>{100}, std::vector<float>(100, 2.0F)};
        submit_compared(rt, how(rt), scale, 2.0F, updates(x)).get();
        EXPECT_THAT(x.to_vector(), Each(4.0F)) << plan << " of " << devices;
        corrupted = rt.report().faults.corrupted;
      }
      EXPECT_GE(counts->differed, 1U) << devices << " " << device;
      EXPECT_EQ(counts->repeated, counts->differed);
      EXPECT_EQ(counts->failed, 0U);
    }
  }
}

/// Content that a recovery makes again is not compared a second time: the recovery must not begin
/// before the check.
TEST_F(compared_tasks, are_right_if_what_a_lost_device_had_is_made_again_and_corrupted) {
  int ended = 0, lost = 0;
  for (int launch = 1; launch <= 16; ++launch) {
    for (int loss = 2; loss <= 9; ++loss) {
      const std::string plan = "corrupt Sim0 launch " + std::to_string(launch) +
                               "; lose Sim1 launch " + std::to_string(loss);
      runtime_options surviving = options("2", plan);
      surviving.resilience = resilience_kind::survive;
      runtime rt(surviving);
      const std::vector<std::int32_t> ones(100, 1);
      const buffer<std::int32_t> x{rt, shape<1>{100}, ones}, y{rt, shape<1>{100}, ones};
      for (int i = 0; i < 4; ++i) submit_compared(rt, how(rt), ops::axpy, 1, reads(x), updates(y));
      try {
        EXPECT_THAT(y.to_vector(), Each(5)) << plan;
        ++ended;
      } catch (const error&) {
        // The last device runs a task three times, and is corrupt in one of them.
      }
      lost += static_cast<int>(rt.report().recoveries);
    }
  }
  EXPECT_GT(ended, 120);
  EXPECT_GT(lost, 100);
}

TEST_F(compared_tasks, do_not_show_what_happens_twice_alike) {
  runtime rt(options("1", "corrupt Sim0 launch 1..2"));
  const buffer<float> x{rt, 32};
  submit_compared(rt, how(rt), ops::fill, 1.0F, writes(x)).get();
  EXPECT_NE(x.read()(0), 1.0F);
  EXPECT_EQ(counts->differed, 0U);
}

TEST_F(compared_tasks, name_the_element_at_which_three_runs_differ) {
  runtime rt(options("1", ""));
  int calls = 0;
  const kernel<inout_buffer<std::int32_t, 2>> changing(
      "changing", host_body{[&](buffer_view<std::int32_t, 2> v) { v(1, 2) = ++calls; }});
  const buffer<std::int32_t, 2> x{rt, {3, 4}, 7, "x"};
  const future<void> fails = submit_compared(rt, how(rt), changing, updates(x));
  EXPECT_EQ(fails.error().code(), failure_code::data_corrupted);
  EXPECT_THAT(fails.error().message(), AllOf(HasSubstr("\"twice\""), HasSubstr("buffer \"x\""),
                                             HasSubstr("(1, 2)"), HasSubstr("is 1, 2 and 3")));
  EXPECT_EQ(counts->failed, 1U);
  EXPECT_THROW((void)x.to_vector(), error);
}

TEST_F(compared_tasks, compare_bits) {
  runtime rt(options("2", ""));
  const kernel<out_buffer<float>> numbers("numbers", host_body{[](buffer_view<float> v) {
                                            v(0) = std::nanf("");
                                            v(1) = -0.0F;
                                          }});
  const buffer<float> x{rt, 2};
  submit_compared(rt, how(rt), numbers, writes(x)).get();
  EXPECT_EQ(counts->differed, 0U) << "a NaN equals itself";

  int calls = 0;
  const kernel<out_buffer<float>> signs("signs", host_body{[&](buffer_view<float> v) {
                                          std::ranges::fill(v, ++calls == 2 ? -0.0F : 0.0F);
                                        }});
  submit_compared(rt, how(rt), signs, writes(x)).get();
  EXPECT_EQ(counts->differed, 1U) << "0.0 is not -0.0";
  EXPECT_FALSE(std::signbit(x.read()(0)));
}

TEST_F(compared_tasks, differ_by_less_than_a_tolerance) {
  runtime rt(options("2", ""));
  int calls = 0;
  const kernel<out_buffer<double>> nearly("nearly", host_body{[&](buffer_view<double> v) {
                                            std::ranges::fill(v, 1 + 1e-9 * ++calls);
                                          }});
  const buffer<double> x{rt, 10};
  submit_compared(rt, how(rt, 1e-6), nearly, writes(x)).get();
  EXPECT_EQ(counts->differed, 0U);
  submit_compared(rt, how(rt, 1e-12), nearly, writes(x)).wait();
  EXPECT_EQ(counts->failed, 1U);
}

TEST_F(compared_tasks, are_parts_of_graphs) {
  runtime rt(options("2", ""));
  const buffer<float> x{rt, 10, 1.0F};
  const graph twice =
      rt.record([&](submitter& s) { submit_compared(s, how(rt), scale, 2.0F, updates(x)); });
  for (int run = 0; run < 3; ++run) rt.run(twice).get();
  EXPECT_THAT(x.to_vector(), Each(8.0F));
}

TEST_F(compared_tasks, are_refused_where_they_cannot_be_compared) {
  runtime rt(options("2", ""));
  const buffer<float> x{rt, 10, 1.0F};
  EXPECT_THROW(submit_compared(rt, how(rt), ops::copy, reads(x.rows(0, 5)), writes(x.rows(4, 9))),
               usage_error);
  EXPECT_THROW(submit_compared(rt, how(rt, -1), scale, 2.0F, updates(x)), usage_error);
  EXPECT_THROW(submit_compared(rt, how(rt, 1), scale, 2.0F, updates(x)), usage_error);
  compare_options elsewhere = how(rt);
  elsewhere.task.on->id = device_id{17};
  EXPECT_THROW(submit_compared(rt, elsewhere, scale, 2.0F, updates(x)), usage_error);
}

}  // namespace
}  // namespace hocket
