// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Devices are lost, and runtimes that survive that: on simulated devices and the virtual clock.

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include "resilient_runtimes.hpp"

namespace hocket {
namespace {

using std::chrono::microseconds;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class triangle_at : public triangle, public ::testing::WithParamInterface<int> {};

TEST_P(triangle_at, is_what_it_would_be_whichever_device_is_lost) {
  submit_all();
  rt.wait();
  const std::vector<float> expected = firsts();
  for (const char* const lost : {"Sim0", "Sim1", "Sim2"}) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      rt.submit(ops::fill, static_cast<float>(i % 7), writes(data[i]));
    }
    submit_all();
    testing::pass(rt, GetParam() * microseconds(600));
    lose(lost);
    rt.wait();
    ASSERT_EQ(firsts(), expected) << lost;
  }
  EXPECT_EQ(rt.report().recoveries, 3U);
  EXPECT_EQ(rt.report().given_up, 0U);
}

INSTANTIATE_TEST_SUITE_P(, triangle_at, ::testing::Range(0, 50));

TEST_F(resilience, runs_again_no_more_than_what_is_lost) {
  const buffer<float> x{rt, tile_size, 0.0F}, y{rt, tile_size, 0.0F};
  for (int i = 0; i < 10; ++i) rt.submit(on("Sim0"), add_one, updates(x));
  for (int i = 0; i < 10; ++i) rt.submit(on("Sim1"), add_one, updates(y));
  rt.wait();
  lose("Sim1");
  EXPECT_THAT(y.to_vector(), Each(10.0F));
  EXPECT_THAT(x.to_vector(), Each(10.0F));
  EXPECT_LE(rt.report().repeated_tasks, 11U);  // ten, and what filled the buffer
}

TEST_F(resilience, repeats_nothing_of_content_that_the_host_has) {
  const buffer<float> x{rt, tile_size, 0.0F};
  for (int i = 0; i < 10; ++i) rt.submit(on("Sim1"), add_one, updates(x));
  EXPECT_THAT(x.to_vector(), Each(10.0F));
  lose("Sim1");
  rt.submit(add_one, updates(x)).get();
  EXPECT_EQ(rt.report().repeated_tasks, 0U);
  EXPECT_THAT(x.to_vector(), Each(11.0F));
}

TEST_F(resilience, survives_the_loss_of_one_device_after_the_other) {
  const buffer<float> x{rt, tile_size, 0.0F};
  for (int i = 0; i < 30; ++i) rt.submit(add_one, updates(x));
  testing::pass(rt, microseconds(2000));
  lose("Sim0");
  testing::pass(rt, microseconds(300));  // while tasks run again
  lose("Sim1");
  lose("Sim2");
  rt.wait();
  EXPECT_THAT(x.to_vector(), Each(30.0F));
}

TEST_F(resilience, calls_functions_once) {
  int calls = 0;
  const buffer<float> x{rt, tile_size}, y{rt, tile_size, 0.0F};
  for (int i = 0; i < 3; ++i) {
    rt.submit(
        [&calls](buffer_view<float> to) {
          ++calls;
          for (float& each : to) each = static_cast<float>(calls);
        },
        writes(x));
    rt.submit(on("Sim0"), add_other, reads(x), updates(y));
  }
  rt.wait();
  lose("Sim0");
  EXPECT_THAT(y.to_vector(), Each(6.0F));
  EXPECT_EQ(calls, 3);
}

TEST_F(resilience, makes_again_what_kernels_of_the_library_wrote) {
  const buffer<float, 2> a{rt, {10, 10}, 2.0F}, b{rt, {10, 10}, 3.0F}, c{rt, {10, 10}};
  rt.submit(on("Sim0"), ops::gemm_nn, reads(a), reads(b), writes(c));
  rt.wait();
  lose("Sim0");
  EXPECT_THAT(c.to_vector(), Each(60.0F));
}

TEST_F(resilience, makes_again_what_came_from_buffers_that_are_gone) {
  const buffer<float> y{rt, tile_size, 0.0F};
  {
    const buffer<float> x{rt, tile_size, 2.0F};
    rt.submit(on("Sim0"), add_one, updates(x));
    rt.submit(on("Sim0"), add_other, reads(x), updates(y));
  }
  rt.wait();
  lose("Sim0");
  EXPECT_THAT(y.to_vector(), Each(3.0F));
}

class without_the_host : public resilience {
 protected:
  static runtime_options no_host() {
    runtime_options made = surviving();
    made.devices = {"Sim0", "Sim1"};
    return made;
  }
  without_the_host() : resilience(no_host()) {}
};

TEST_F(without_the_host, content_is_put_back) {
  const buffer<float> x{rt, tile_size}, y{rt, tile_size, 0.0F};
  std::ranges::fill(x.write(), 2.0F);
  rt.submit(on("Sim0"), add_other, reads(x), updates(y));
  std::ranges::fill(x.rows(10, 20).update(), 5.0F);
  rt.submit(on("Sim0"), add_other, reads(x), updates(y));
  rt.wait();
  lose("Sim0");
  std::vector<float> sums(tile_size, 4.0F);
  std::fill_n(sums.begin() + 10, 10, 7.0F);
  EXPECT_EQ(y.to_vector(), sums);
  EXPECT_EQ(x.to_vector()[9], 2.0F);
  EXPECT_EQ(x.to_vector()[10], 5.0F);
  EXPECT_EQ(rt.report().recoveries, 1U);
}

TEST_F(resilience, leaves_what_tasks_failed_to_write) {
  const kernel<inout_buffer<float>> fails{
      "fails", host_body{[](buffer_view<float>) { throw std::runtime_error("planned"); }}};
  const buffer<float> x{rt, tile_size, 0.0F}, y{rt, tile_size, 0.0F};
  rt.submit(on("Sim0"), add_one, updates(x));
  future<void> failed = rt.submit(on("Sim0"), fails, updates(x));
  rt.submit(on("Sim0"), add_one, updates(y));
  EXPECT_TRUE(failed.error());
  lose("Sim0");
  EXPECT_THAT(y.to_vector(), Each(1.0F));
  EXPECT_THROW((void)x.to_vector(), error);
}

TEST_F(resilience, gives_up_where_a_view_is_in_the_way) {
  const buffer<float> x{rt, 4, 0.0F};
  rt.submit(on("Sim0"), add_one, updates(x));
  const auto open = x.rows(0, 2).read();
  ::testing::internal::CaptureStderr();
  lose("Sim0");
  EXPECT_THROW(rt.submit(add_one, updates(x.rows(2, 4))).get(), error);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("in use by \"view of"));
  EXPECT_THAT(open[0], 1.0F);
  EXPECT_EQ(rt.report().given_up, 1U);
}

TEST_F(resilience, makes_again_what_no_view_is_in_the_way_of) {
  const buffer<float> x{rt, 4, 0.0F}, y = zeros(), z = zeros();
  rt.submit(on("Sim0"), add_one, updates(x));
  rt.submit(on("Sim0"), add_one, updates(y));
  rt.submit(on("Sim0"), add_other, reads(y), updates(z));
  {
    const auto open = x.rows(0, 2).read();
    lose("Sim0");
    EXPECT_THAT(z.to_vector(), Each(1.0F));
    EXPECT_THAT(y.to_vector(), Each(1.0F));
    EXPECT_TRUE(rt.submit(add_one, updates(x.rows(2, 4))).error());
  }
  EXPECT_THAT(x.rows(0, 2).read(), Each(1.0F));
  EXPECT_EQ(rt.report().given_up, 1U);
  EXPECT_EQ(rt.report().recoveries, 0U);
}

/// A buffer of a lost device can only be made again by a task that overwrites what a function uses.
class used_resilience : public resilience {
 protected:
  explicit used_resilience(const runtime_options& options = surviving()) : resilience(options) {
    rt.submit(on("Sim0"), add_one, updates(x));
    rt.submit(on("Sim0"), add_other, reads(x), updates(y));
    rt.submit(on("Sim0"), add_one, updates(x));
  }
  void expect_content() {
    EXPECT_THAT(y.to_vector(), Each(1.0F));
    EXPECT_THAT(x.to_vector(), Each(2.0F));
    EXPECT_EQ(rt.report().recoveries, 1U);
    EXPECT_EQ(rt.report().given_up, 0U);
  }
  [[nodiscard]] bool is_alive(const std::string& name) {
    for (const device_report& each : rt.report().devices) {
      if (each.name == name) return each.alive;
    }
    return false;
  }

  buffer<float> x = zeros(), y = zeros();
};

TEST_F(used_resilience, waits_for_functions_that_run) {
  float seen = 0;
  rt.submit(
        [&](buffer_view<const float> v) {
          lose("Sim0");
          seen = v[0];
        },
        reads(x))
      .get();
  expect_content();
  EXPECT_EQ(seen, 2.0F);
}

/// A copy of content, as to_vector() makes one, in another thread than this.
TEST_F(used_resilience, waits_for_views_that_only_copy) {
  {
    const host_view<const float, 1> copied(
        detail::open_view(x.ref(), access_mode::read, detail::view_span::brief));
    lose("Sim0");
    testing::pass(rt, microseconds(2000));
    EXPECT_EQ(rt.report().recoveries, 0U);
    EXPECT_THAT(copied, Each(2.0F));
  }
  expect_content();
}

TEST_F(used_resilience, waits_for_a_view_that_is_closed_soon) {
  {
    const auto open = x.read();
    lose("Sim0");
    testing::pass(rt, microseconds(2000));
    EXPECT_EQ(rt.report().recoveries, 0U);
    EXPECT_THAT(open, Each(2.0F));
  }
  expect_content();
}

TEST_F(used_resilience, gives_up_where_a_view_stays_open) {
  {
    const auto open = x.read();
    lose("Sim0");
    EXPECT_THROW((void)y.to_vector(), error);
    EXPECT_THAT(open, Each(2.0F));
  }
  EXPECT_THAT(x.to_vector(), Each(2.0F));
  EXPECT_EQ(rt.report().given_up, 1U);
}

TEST_F(used_resilience, gives_up_where_a_function_waits) {
  const future<void> waits = rt.submit(
      [&](buffer_view<const float>) {
        lose("Sim0");
        (void)y.to_vector();
      },
      reads(x));
  EXPECT_THAT(waits.error().message(), HasSubstr("It is gone."));
  EXPECT_EQ(rt.report().given_up, 1U);
}

class used_resilience_of_threads : public used_resilience {
 protected:
  used_resilience_of_threads() : used_resilience(real()) {}
  static runtime_options real() {
    runtime_options made = surviving();
    made.clock = clock_kind::real;
    return made;
  }
};

TEST_F(used_resilience_of_threads, waits_for_functions_that_run_long) {
  float seen = 0;
  rt.submit(
        [&](buffer_view<const float> v) {
          lose("Sim0");
          while (is_alive("Sim0")) std::this_thread::yield();
          seen = v[0];
        },
        reads(x))
      .get();
  expect_content();
  EXPECT_EQ(seen, 2.0F);
}

class traced_resilience : public resilience {
 protected:
  traced_resilience() : resilience(traced()) {}
  static runtime_options traced() {
    runtime_options made = surviving();
    made.trace_capacity = 1000;
    return made;
  }
};

TEST_F(traced_resilience, names_what_is_made_again) {
  const buffer<float> x{rt, tile_size, 0.0F}, y{rt, tile_size, 0.0F};
  task_options first = on("Sim0"), second = on("Sim0");
  first.label = "first";
  second.label = "second";
  rt.submit(first, add_one, updates(x));
  rt.submit(second, add_other, reads(x), updates(y));
  rt.wait();
  lose("Sim0");
  EXPECT_THAT(y.to_vector(), Each(1.0F));
  const auto trace = boost::json::parse(to_chrome_json(rt.trace())).as_object();
  std::vector<std::string> again;
  for (const auto& each : trace.at("traceEvents").as_array()) {
    const auto& event = each.as_object();
    if (!event.contains("cat") || event.at("cat") != "kernel") continue;
    if (!event.at("args").as_object().contains("again")) continue;
    again.emplace_back(event.at("name").as_string());
  }
  EXPECT_THAT(again, ElementsAre("fill", "fill", "first", "second"));
}

class resilience_with_short_log : public resilience {
 protected:
  resilience_with_short_log() : resilience(surviving(20)) {}
};

TEST_F(resilience_with_short_log, bounds_what_is_repeated) {
  const buffer<float> x{rt, tile_size, 0.0F};
  for (int i = 0; i < 500; ++i) rt.submit(on("Sim0"), add_one, updates(x));
  rt.wait();
  lose("Sim0");
  EXPECT_THAT(x.to_vector(), Each(500.0F));
  EXPECT_LE(rt.report().repeated_tasks, 40U);
}

TEST(resilience_options, are_checked) {
  EXPECT_THROW(runtime(runtime_options{.max_repeated = 0}), usage_error);
  ::setenv("HOCKET_RESILIENCE", "sometimes", 1);
  EXPECT_THROW(runtime rt, usage_error);
  ::setenv("HOCKET_RESILIENCE", "none", 1);
  EXPECT_NO_THROW(runtime rt);
  ::unsetenv("HOCKET_RESILIENCE");
}

}  // namespace
}  // namespace hocket
