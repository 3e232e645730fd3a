// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Copies that fail while other commands were planned behind them: on simulated devices and the
// virtual clock.

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resilient_runtimes.hpp"

namespace hocket {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

runtime_options with_faults(const std::string& devices, const std::string& faults,
                            resilience_kind kind = resilience_kind::none) {
  return {.backends = {{"sim", devices}},
          .clock = clock_kind::simulated,
          .resilience = kind,
          .faults = faults};
}

const auto raise = elementwise("raise", [](auto& x) { x = x + 1.0F; });

/// Seven rows of a buffer are updated, the first and the last once and the others twice, by way of
/// two bands: the first has to leave the device for the second. Room: bytes of the device.
struct two_bands {
  static constexpr std::size_t columns = 1024;

  two_bands(const std::string& room, resilience_kind kind)
      : rt(with_faults("1,memory=" + room, "fail Sim0 copy-out 1", kind)),
        x(rt, {32, columns}, 0.0F, "x") {
    const task_options there{.on = rt.device("Sim0")};
    rt.submit(there, raise, updates(x.rows(6, 11)));
    rt.submit(there, raise, updates(x.rows(5, 12)));
  }
  [[nodiscard]] std::string problem() const {
    try {
      const std::vector<float> found = x.to_vector();
      for (std::size_t i = 0; i < 32; ++i) {
        const float in_first = i >= 6 && i < 11 ? 1.0F : 0.0F;
        const float in_second = i >= 5 && i < 12 ? 1.0F : 0.0F;
        if (found[i * columns] != in_first + in_second) return "a wrong result";
      }
    } catch (const error& why) {
      return why.what();
    }
    return "";
  }

  runtime rt;
  buffer<float, 2> x;
};

TEST(failed_copies, spoil_what_comes_back_to_the_same_device) {
  // With little room the second task waits for memory until the copy has failed.
  for (const char* const room : {"48K", "44K"}) {
    EXPECT_THAT(two_bands(room, resilience_kind::none).problem(), HasSubstr("copy-out")) << room;
    EXPECT_EQ(two_bands(room, resilience_kind::survive).problem(), "") << room;
  }
}

TEST(failed_copies, fail_the_wait_for_all_tasks) {
  runtime rt(with_faults("1", "fail Sim0 copy-in 1.."));
  const buffer<float> x{rt, 1000}, y{rt, 1000, 0.0F};
  rt.submit([](buffer_view<float> values) { std::fill(values.begin(), values.end(), 1.0F); },
            writes(x));
  rt.submit({.on = rt.device("Sim0")}, raise, updates(x));
  // Tasks that come after it are no failures of their own.
  rt.submit({.on = rt.device("NUMA0")}, add_other, reads(x), updates(y));
  EXPECT_THROW(rt.wait(), error);
  EXPECT_NO_THROW(rt.wait());
}

TEST(failed_copies, keep_functions_from_running) {
  runtime rt(with_faults("1", "fail Sim0 copy-out 1.."));
  const buffer<float> x{rt, 1000, 0.0F};
  rt.submit({.on = rt.device("Sim0")}, raise, updates(x)).get();
  int calls = 0;
  const future<void> first = rt.submit([&](buffer_view<const float>) { ++calls; }, reads(x));
  EXPECT_TRUE(first.error());
  EXPECT_EQ(calls, 0);
}

TEST(failed_copies, of_a_value_name_the_task_and_say_that_it_was_copied) {
  runtime rt(with_faults("1", "fail Sim0 copy-out 1..2"));
  const task_options there{.on = rt.device("Sim0")};
  const buffer<float> x{rt, 1000, 1.0F};
  // The kernel's name stands for a label.
  const failure unnamed = rt.submit(there, ops::sum, reads(x)).error();
  EXPECT_THAT(unnamed.message(), HasSubstr("value of task \"sum\" was copied to the host"));
  EXPECT_THAT(unnamed.message(), Not(HasSubstr("did not run")));
  const failure named = rt.submit({.on = there.on, .label = "total"}, ops::sum, reads(x)).error();
  EXPECT_THAT(named.message(), HasSubstr("value of task \"total\" was copied to the host"));
  EXPECT_EQ(rt.submit(there, ops::sum, reads(x)).get(), 1000.0F);
  EXPECT_NO_THROW(rt.wait()) << "both failures have been seen";
}

TEST(failed_copies, fail_tasks_that_wait_for_memory_meanwhile) {
  runtime rt(with_faults("2,memory=100K,link=10M", "fail Sim1 copy-out 2"));
  const task_options first{.on = rt.device("Sim0")}, second{.on = rt.device("Sim1")};
  const std::size_t count = 10000;
  std::vector<buffer<float>> of;
  for (int i = 0; i < 7; ++i) of.emplace_back(rt, count, 0.0F);
  rt.submit(second, add_one, updates(of[0]));
  for (const std::size_t i : {1U, 2U}) rt.submit(first, add_one, updates(of[i]));
  rt.submit(second, add_one, updates(of[3]));
  rt.wait();
  // The first task waits for memory, while the second has its input moved out, which fails.
  const future<void> waits = rt.submit(first, add_other, reads(of[0]), updates(of[4]));
  rt.submit(second, add_other, reads(of[5]), updates(of[6]));
  if (waits.error()) return;
  EXPECT_THAT(of[4].to_vector(), Each(1.0F));
}

TEST(failed_copies, do_not_concern_who_began_before) {
  const kernel<in_buffer<float>, out_buffer<float>> slow =
      kernel<in_buffer<float>, out_buffer<float>>{
          "slow", host_body{[](buffer_view<const float> from, buffer_view<float> to) {
            for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i];
          }}}
          .cost([](const launch_shape&) {
            return launch_work{2e9, 0};
          });
  runtime rt(with_faults("2,memory=1M,depth=3", "lose Sim0 after 50ms"));
  const task_options first{.on = rt.device("Sim0")}, second{.on = rt.device("Sim1")};
  const buffer<float> x{rt, 1000, 1.0F}, y{rt, 1000}, z{rt, 1000};
  rt.submit(second, ops::copy, reads(x), writes(y)).get();
  const future<void> reader = rt.submit(second, slow, reads(x), writes(z));
  rt.submit(first, raise, updates(x));
  const future<void> later = rt.submit(second, ops::copy, reads(x), writes(y));
  EXPECT_FALSE(reader.error());
  EXPECT_TRUE(later.error());
  EXPECT_THAT(z.to_vector(), Each(1.0F));
}

}  // namespace
}  // namespace hocket
