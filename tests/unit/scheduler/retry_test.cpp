// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Launches that fail for a reason of their device are tried again: on simulated devices and the
// virtual clock.

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resilient_runtimes.hpp"

namespace hocket {
namespace {

using std::chrono::milliseconds;
using ::testing::Each;
using ::testing::HasSubstr;

const failure refused{failure_code::task_failed, "The driver refuses."};

using retries = resilience;

class retries_at : public triangle, public ::testing::WithParamInterface<int> {};

TEST_P(retries_at, change_no_result_whichever_launch_fails) {
  submit_all();
  rt.wait();
  const std::vector<float> expected = firsts();
  for (const char* const device : {"Sim0", "Sim1", "Sim2"}) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      rt.submit(ops::fill, static_cast<float>(i % 7), writes(data[i]));
    }
    simulated(device).fail_launch(static_cast<std::uint64_t>(GetParam()), refused);
    submit_all();
    rt.wait();
    ASSERT_EQ(firsts(), expected) << device;
  }
  const runtime_report report = rt.report();
  EXPECT_LE(report.retried_commands, 3U);
  EXPECT_EQ(report.given_up, 0U);
}

// Seven launches and what fills the tiles run on the slowest device.
INSTANTIATE_TEST_SUITE_P(, retries_at, ::testing::Range(1, 20));

TEST_F(retries, begin_at_once_with_what_the_task_read_before) {
  const buffer<float> x = zeros();
  rt.submit(on("Sim0"), add_one, updates(x));
  rt.wait();
  fail_next("Sim0", 1);
  const time_stamp before = rt.core()->where().now();
  rt.submit(on("Sim0"), add_one, updates(x)).get();
  EXPECT_LT(rt.core()->where().now() - before, milliseconds(1));
  EXPECT_THAT(x.to_vector(), Each(2.0F));
  EXPECT_EQ(rt.report().retried_commands, 1U);
}

TEST_F(retries, wait_longer_before_each_further_attempt) {
  const buffer<float> x = zeros();
  rt.wait();
  fail_next("Sim0", 2);
  const time_stamp before = rt.core()->where().now();
  rt.submit(on("Sim0"), add_one, updates(x)).get();
  EXPECT_GE(rt.core()->where().now() - before, milliseconds(1));
  EXPECT_THAT(x.to_vector(), Each(1.0F));
  EXPECT_EQ(rt.report().retried_commands, 2U);
}

TEST_F(retries, end_after_so_many_attempts) {
  const buffer<float> x = zeros(), y = zeros();
  fail_next("Sim0", 3);
  const future<void> failed = rt.submit(on("Sim0"), add_one, updates(x));
  const future<void> behind = rt.submit(on("Sim0"), add_other, reads(x), updates(y));
  const future<void> other = rt.submit(on("Sim0"), add_one, updates(y));
  EXPECT_THAT(failed.error().message(), HasSubstr("on Sim0, attempt 3"));
  EXPECT_THAT(failed.error().message(), HasSubstr("The driver refuses."));
  EXPECT_EQ(behind.error().code(), failure_code::dependency_failed);
  EXPECT_THROW((void)x.to_vector(), error);
  // The content is what the tasks before left.
  rt.submit(ops::fill, 5.0F, writes(x));
  rt.submit(on("Sim0"), add_one, updates(x)).get();
  EXPECT_THAT(x.to_vector(), Each(6.0F));
}

/// A view that updates what a copy brings that was not made for it: for the cut of the log.
TEST(retries_for_views, deliver_right_content_to_a_view_at_any_moment) {
  std::size_t retried = 0;
  for (int moment = 0; moment < 40; ++moment) {
    runtime_options options = surviving(1);
    options.faults = "fail Sim0 copy-out 1";
    runtime rt(options);
    const buffer<float> x{rt, tile_size}, y{rt, tile_size};
    rt.submit({.on = rt.device("Sim0")}, ops::fill, 2.0F, writes(x));
    rt.submit({.on = rt.device("Sim0")}, ops::fill, 3.0F, writes(y));
    for (int event = 0; event < moment; ++event) rt.async([] {}).wait();
    {
      const auto content = x.update();
      ASSERT_THAT(content, Each(2.0F)) << moment;
      std::ranges::fill(content, 4.0F);
    }
    ASSERT_THAT(x.to_vector(), Each(4.0F)) << moment;
    ASSERT_THAT(y.to_vector(), Each(3.0F)) << moment;
    retried += rt.report(report_detail::counts).retried_commands;
  }
  EXPECT_EQ(retried, 40U);
}

TEST_F(retries, go_to_another_device_if_one_has_failed_twice) {
  const buffer<float> x = zeros();
  const auto wide = kernel<inout_buffer<float>>{
      "wide", host_body{[](buffer_view<float> to) {
        for (float& each : to) each += 1;
      }}}.cost([](const launch_shape&) {
    return launch_work{1e9, 0};
  });
  fail_next("Sim0", 7);
  rt.submit(wide, updates(x)).get();
  EXPECT_THAT(x.to_vector(), Each(1.0F));
  EXPECT_EQ(rt.report().retried_commands, 2U);
}

TEST_F(retries, are_not_made_of_what_a_body_throws) {
  int calls = 0;
  const kernel<inout_buffer<float>> fails{"fails", host_body{[&calls](buffer_view<float>) {
                                            ++calls;
                                            throw std::runtime_error("planned");
                                          }}};
  const buffer<float> x = zeros();
  EXPECT_TRUE(rt.submit(on("Sim0"), fails, updates(x)).error());
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(rt.report().retried_commands, 0U);
}

TEST_F(retries, leave_a_device_to_kernels_that_it_can_compile) {
  fail_next("Sim0", 1, {failure_code::compile_failed, "The compiler refuses."});
  const auto big = [](const char* name) {
    return kernel<inout_buffer<float>>{name, host_body{[](buffer_view<float> to) {
                                         for (float& each : to) each += 1;
                                       }}}
        .cost([](const launch_shape&) {
          return launch_work{1e9, 0};
        });
  };
  const auto bad = big("bad"), good = big("good");
  const buffer<float> x = zeros();
  for (int i = 0; i < 10; ++i) rt.submit(bad, updates(x));
  rt.wait();
  EXPECT_EQ(rt.report().retried_commands, 1U);
  const std::uint64_t before = kernels_on(1);
  EXPECT_LE(before, 1U) << "the fastest device is not asked again";
  for (int i = 0; i < 10; ++i) rt.submit(good, updates(x));
  rt.wait();
  EXPECT_GT(kernels_on(1), before);
  EXPECT_THAT(x.to_vector(), Each(20.0F));
}

TEST_F(retries, of_a_recovery_fail_only_what_needs_a_task_that_failed_for_good) {
  // A kernel with captures would be called once.
  static int calls;
  calls = 0;
  const kernel<inout_buffer<float>> once{"once", host_body{[](buffer_view<float> v) {
                                           if (++calls > 1) throw std::runtime_error("planned");
                                           v[0] = 3;
                                         }}};
  const buffer<float> x = zeros(), y = zeros(), z = zeros();
  rt.submit(on("Sim0"), once, updates(z));
  rt.submit(on("Sim0"), add_other, reads(z), updates(x));
  rt.submit(on("Sim0"), ops::fill, 5.0F, writes(z));
  rt.submit(on("Sim0"), add_one, updates(y));
  rt.wait();
  for (const char* const other : {"Sim1", "Sim2"}) fail_next(other, 1);
  lose("Sim0");
  EXPECT_THAT(y.to_vector(), Each(1.0F));
  EXPECT_THAT(z.to_vector(), Each(5.0F));
  try {
    (void)x.to_vector();
    FAIL();
  } catch (const error& e) {
    EXPECT_THAT(e.what(), HasSubstr("planned"));
  }
  EXPECT_EQ(rt.report().given_up, 1U);
}

TEST_F(retries, lose_nothing_of_what_a_thread_fills_again_and_again) {
  const buffer<float> x = zeros(), y = zeros();
  for (int turn = 1; turn <= 12; ++turn) {
    if (turn % 3 == 0) fail_next("Sim0", 1);
    {
      const auto v = x.write();
      std::ranges::fill(v, static_cast<float>(turn));
    }
    rt.submit(on("Sim0"), add_other, reads(x), updates(y));
  }
  EXPECT_THAT(y.to_vector(), Each(78.0F));
  EXPECT_EQ(rt.report().given_up, 0U);
}

TEST_F(retries, and_losses_at_the_same_time_change_no_result) {
  const buffer<float> x = zeros();
  for (int i = 0; i < 30; ++i) rt.submit(add_one, updates(x));
  fail_next("Sim0", 2);
  testing::pass(rt, std::chrono::microseconds(500));
  lose("Sim0");
  rt.wait();
  EXPECT_THAT(x.to_vector(), Each(30.0F));
}

TEST_F(retries, ask_each_device_that_may_compile_a_kernel) {
  const failure why{failure_code::compile_failed, "The compiler refuses."};
  fail_next("Sim0", 1, why);
  fail_next("Sim1", 1, why);
  const auto big = kernel<inout_buffer<float>>{
      "big", host_body{[](buffer_view<float> to) {
        for (float& each : to) each += 1;
      }}}.cost([](const launch_shape&) {
    return launch_work{1e9, 0};
  });
  const buffer<float> x = zeros();
  rt.submit(big, updates(x)).get();
  EXPECT_THAT(x.to_vector(), Each(1.0F));
  EXPECT_EQ(rt.report().retried_commands, 2U);
}

TEST_F(retries, of_one_bad_kernel_take_no_device_from_others) {
  const buffer<float> x = zeros();
  fail_next("Sim0", 30);
  for (int i = 0; i < 10; ++i) (void)rt.submit(on("Sim0"), add_one, updates(zeros())).error();
  EXPECT_TRUE(rt.report().devices[1].alive);
}

/// A sum of four buffers into one another, on a device of which launches fail by chance.
class retries_of_chains : public ::testing::TestWithParam<const char*> {
 protected:
  static constexpr int tasks = 200, buffers = 4;

  /// Returns what has become of the buffers.
  [[nodiscard]] static std::vector<int> run(runtime& on) {
    std::vector<buffer<int>> all;
    for (int i = 0; i < buffers; ++i) all.emplace_back(on, 100, i);
    const std::vector<const char*> devices{"Sim0", "Sim1", "Sim2"};
    for (std::size_t i = 0; i < tasks; ++i) {
      on.submit({.on = on.device(devices[i * i % 7 % 3])}, ops::axpy, 1,
                reads(all[i * 3 % buffers]), updates(all[(i * 3 + 1 + i % 3) % buffers]));
    }
    std::vector<int> found;
    for (const buffer<int>& each : all) found.push_back(each.to_vector().back());
    return found;
  }
  [[nodiscard]] static runtime_options failing(const std::string& faults) {
    runtime_options options = surviving();
    options.faults = faults;
    return options;
  }
};

TEST_P(retries_of_chains, count_failures_in_a_row_and_lose_no_ground) {
  runtime sound(surviving());
  const std::vector<int> expected = run(sound);
  std::uint64_t failed = 0;
  for (const char* const seed : {"1", "2", "3", "4"}) {
    runtime rt(failing(std::string(GetParam()) + "; seed " + seed));
    ASSERT_EQ(run(rt), expected) << seed;
    const runtime_report report = rt.report();
    EXPECT_EQ(report.retried_commands, report.faults.failed);
    failed += report.faults.failed;
    // Each of the failures would otherwise run most of the tasks before it again.
    EXPECT_LT(report.repeated_tasks, 10U * tasks) << seed;
  }
  EXPECT_GT(failed, 0U);
}

INSTANTIATE_TEST_SUITE_P(, retries_of_chains,
                         ::testing::Values("fail Sim1 launch 4%", "fail Sim1 copy-in 3%",
                                           "fail * copy-out 8%",
                                           "fail * launch 2%; lose Sim1 launch 60"));

TEST_F(retries_of_chains, end_for_a_task_that_always_fails_among_others_that_do_by_chance) {
  runtime rt(failing("fail Sim1 launch 5%; fail Sim2 launch 2..; seed 1"));
  const buffer<int> bad{rt, 100, 1}, good{rt, 100, 1};
  const auto submit = [&](const char* device, const buffer<int>& to) {
    return rt.submit({.on = rt.device(device)}, ops::axpy, 1, reads(good), updates(to));
  };
  const buffer<int> sum{rt, 100, 0};
  for (int i = 0; i < 60; ++i) submit("Sim1", sum);
  submit("Sim2", bad);
  const future<void> fails = submit("Sim2", bad);
  for (int i = 0; i < 60; ++i) submit("Sim1", sum);
  EXPECT_THAT(fails.error().message(), HasSubstr("on Sim2, attempt 3"));
  EXPECT_THAT(sum.to_vector(), Each(120));
  EXPECT_THROW((void)bad.to_vector(), error);
}

/// Some task fails three times, and succeeds between these.
TEST_F(retries_of_chains, forget_failures_of_a_task_that_has_succeeded_while_it_was_made_again) {
  runtime sound(surviving()), rt(failing("fail Sim1 launch 6%; seed 19"));
  EXPECT_EQ(run(rt), run(sound));
}

/// Content that a recovery makes again cannot be stored on the way, and launches fail besides.
TEST_F(retries_of_chains, end_where_nothing_gets_through) {
  runtime rt(failing("fail Sim1 copy-out 1..; fail Sim1 launch 30%; seed 1"));
  const buffer<int> x{rt, 100, 1}, y{rt, 100, 1};
  for (int i = 0; i < 100; ++i) {
    rt.submit({.on = rt.device("Sim1")}, ops::axpy, 1, reads(x), updates(y));
  }
  EXPECT_THROW((void)y.to_vector(), error);
  EXPECT_THAT(x.to_vector(), Each(1));
}

class retries_of_copies : public ::testing::TestWithParam<const char*> {};

TEST_P(retries_of_copies, change_no_result) {
  runtime_options options = surviving();
  options.faults = std::string(GetParam());
  runtime rt(options);
  const buffer<float> x{rt, tile_size}, y{rt, tile_size, 0.0F};
  rt.submit([](buffer_view<float> to) { std::ranges::fill(to, 1.0F); }, writes(x));
  const std::vector<const char*> devices{"Sim0", "Sim1", "Sim2"};
  for (std::size_t i = 0; i < 12; ++i) {
    rt.submit({.on = rt.device(devices[i % 3])}, add_other, reads(x), updates(y));
    rt.submit({.on = rt.device(devices[(i + 1) % 3])}, add_one, updates(x));
  }
  rt.wait();
  EXPECT_THAT(x.to_vector(), Each(13.0F));
  EXPECT_THAT(y.to_vector(), Each(78.0F));
  const runtime_report report = rt.report();
  EXPECT_GT(report.faults.failed, 0U);
  EXPECT_EQ(report.retried_commands > 0, report.faults.failed > 0);
}

INSTANTIATE_TEST_SUITE_P(, retries_of_copies,
                         ::testing::Values("fail Sim0 copy-in 1", "fail Sim1 copy-in 2",
                                           "fail Sim0 copy-out 1", "fail Sim2 copy-out 1",
                                           "fail Sim0 copy-in 1..2; fail Sim1 copy-out 1",
                                           "fail * copy 10%; seed 3"));

TEST(retry_options, are_checked) {
  EXPECT_THROW(runtime(runtime_options{.max_attempts = 0}), usage_error);
}

/// Four tasks a round add to the same elements, each on a device of its own.
struct sums_of_rows {
  sums_of_rows(const std::string& faults)
      : rt({.backends = {{"sim", "2"}},
            .clock = clock_kind::simulated,
            .resilience = resilience_kind::survive,
            .faults = faults}) {
    const device_handle on[]{rt.device("NUMA0"), rt.device("Sim0"), rt.device("Sim1")};
    const buffer<float> unused{rt, 512, 1.0F, "unused"};
    const buffer<float, 2> rows{rt, {32, 16}, 1.0F, "rows"};
    for (std::size_t i = 0; i < 4; ++i) {
      rt.submit(ops::sum, reads(sums));
      for (std::size_t k = 0; k < 4; ++k) {
        rt.submit({.on = on[(i + k) % 3]}, ops::bias_backward, reads(rows.rows(8 * k, 8 * k + 8)),
                  reduces(sums.rows(0, 16), plus{}));
      }
    }
  }

  runtime rt;
  buffer<float> sums{rt, 512, 0.0F, "sums"};
};

class second_loss_at : public ::testing::TestWithParam<int> {};

// A recovery has more ready tasks than a round of the policy looks at, and another one follows.
TEST_P(second_loss_at, ends_with_the_same_result) {
  sums_of_rows made("lose * launch " + std::to_string(GetParam()));
  EXPECT_EQ(made.sums.to_vector()[0], 128.0F);
}

INSTANTIATE_TEST_SUITE_P(, second_loss_at, ::testing::Range(18, 26));

TEST(retries_without_memory, end_where_each_recovery_fails_once) {
  for (const char* const first : {"4", "5", "6", "7"}) {
    runtime rt{{.devices = "NUMA0,Sim0,Sim1",
                .backends = {{"sim", "2"}},
                .clock = clock_kind::simulated,
                .resilience = resilience_kind::survive,
                .faults = std::string("fail * allocation ") + first + ".."}};
    const buffer<float> x{rt, 512, 1.0F, "x"};
    const buffer<float> y{rt, 512, 0.0F, "y"}, z{rt, 512, 0.0F, "z"}, sums{rt, 512, 0.0F, "sums"};
    const graph round = rt.record([&](submitter& s) {
      s.submit(ops::axpy, 1.0F, reads(x), updates(y));
      s.submit(ops::axpy, 2.0F, reads(y), updates(z));
      s.submit([](buffer_view<float> v) { v(0) += 1; }, updates(z.rows(0, 8)));
    });
    const char* const names[]{"NUMA0", "Sim0", "Sim1"};
    std::vector<future<float>> found;
    for (int i = 0; i < 4; ++i) {
      rt.run(round);
      found.push_back(rt.submit({.priority = -i}, ops::sum, reads(y)));
      rt.submit({.on = rt.device(names[i % 3]), .priority = -i}, ops::axpy, 2.0F, reads(x),
                updates(sums));
      rt.submit({.priority = -i}, ops::sum, reads(sums));
      // With or without its result.
      if (found.back().error()) continue;
      EXPECT_EQ(found.back().get(), 512.0F * static_cast<float>(i + 1));
    }
    EXPECT_THROW(rt.wait(), error);
  }
}

/// The room that a device lacks is none that an open view has.
TEST(refused_memory, of_a_device_is_nothing_to_an_open_view) {
  for (const resilience_kind kind : {resilience_kind::none, resilience_kind::survive}) {
    runtime rt{{.devices = "NUMA0,Sim0",
                .backends = {{"sim", "1"}},
                .resilience = kind,
                .faults = "fail Sim0 allocation 1..2"}};
    const buffer<float, 2> x{rt, {100, 10}, std::vector<float>(1000, 1.0F), "x"};
    const buffer<float, 2> y{rt, {50, 10}, "y"};
    {
      const host_view<float, 2> open = x.rows(0, 5).update();
      open(0, 0) = 7;
      rt.submit({.on = rt.device("Sim0")}, ops::copy, reads(x.rows(50, 100)), writes(y)).wait();
    }
    EXPECT_EQ(x.read()(0, 0), 7.0F);
  }
}

}  // namespace
}  // namespace hocket
