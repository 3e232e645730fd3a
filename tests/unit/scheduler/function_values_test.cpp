// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>

#include <array>
#include <complex>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtimes.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr machine_setting settings[] = {
    {.name = "in_place", .data_tasks = data_path::in_place},
    {.name = "placed"},
    {.name = "with_a_device", .devices = "NUMA0,Sim0", .sim = "1"},
    {.name = "virtual_clock", .devices = "NUMA0,Sim0", .sim = "1", .clock = clock_kind::simulated},
    {.name = "in_place_on_the_virtual_clock",
     .clock = clock_kind::simulated,
     .data_tasks = data_path::in_place},
};

/// Functions with accesses that return what is no number, on both paths.
class function_with_a_value : public ::testing::TestWithParam<machine_setting> {
 protected:
  runtime rt{options_for(GetParam())};
  buffer<float> x{rt, 8, 2.0f, "x"};
};
INSTANTIATE_TEST_SUITE_P(, function_with_a_value, ::testing::ValuesIn(settings),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_P(function_with_a_value, of_any_type_that_moves) {
  const future<std::string> text = rt.submit(
      [](buffer_view<const float> v) { return "value " + std::to_string(static_cast<int>(v(3))); },
      reads(x));
  EXPECT_EQ(text.get(), "value 2");
  const future<bool> positive = rt.submit(
      {.label = "positive"}, [](buffer_view<const float> v) { return v(0) > 0; }, reads(x));
  EXPECT_TRUE(positive.get());
  const future<std::unique_ptr<float>> owned =
      rt.submit([](buffer_view<const float> v) { return std::make_unique<float>(v(1)); }, reads(x));
  const std::unique_ptr<float> mine = owned.take();
  EXPECT_EQ(*mine, 2.0f);
}

TEST_P(function_with_a_value, that_is_copied_by_its_bytes) {
  enum class sign { minus, plus };
  const future<std::array<float, 2>> both = rt.submit(
      [](buffer_view<const float> v) {
        return std::array{v(0), v(1) + 1};
      },
      reads(x));
  EXPECT_THAT(both.get(), ElementsAre(2.0f, 3.0f));
  const future<sign> which = rt.submit(
      [](buffer_view<const float> v) { return v(0) > 0 ? sign::plus : sign::minus; }, reads(x));
  EXPECT_EQ(which.get(), sign::plus);
  const future<std::complex<float>> number =
      rt.submit([](buffer_view<const float> v) { return std::complex<float>(v(0), 1); }, reads(x));
  EXPECT_EQ(number.get(), std::complex<float>(2, 1));
  const future<float16> narrow =
      rt.submit([](buffer_view<const float> v) { return float16(v(0) / 3); }, reads(x));
  EXPECT_EQ(narrow.get().bits(), float16(2 / 3.0F).bits());
  rt.submit(ops::fill, narrow, writes(x));
  EXPECT_EQ(x.to_vector()[7], static_cast<float>(float16(2 / 3.0F)));
}

TEST_P(function_with_a_value, that_is_a_reference_is_copied) {
  static const std::string kept = "kept";
  const future<std::string> f =
      rt.submit([](buffer_view<const float>) -> const std::string& { return kept; }, reads(x));
  EXPECT_EQ(f.get(), "kept");
}

TEST_P(function_with_a_value, may_only_move) {
  auto factor = std::make_unique<float>(3.0f);
  rt.submit(
      [f = std::move(factor)](buffer_view<float> v) {
        for (float& each : v) each *= *f;
      },
      updates(x));
  auto other = std::make_unique<float>(1.0f);
  const future<float> sum =
      rt.submit([f = std::move(other)](buffer_view<const float> v) { return v(0) + *f; }, reads(x));
  EXPECT_EQ(sum.get(), 7.0f);
}

TEST_P(function_with_a_value, may_change_itself) {
  const future<int> calls =
      rt.submit([n = 0](buffer_view<const float>) mutable { return ++n; }, reads(x));
  EXPECT_EQ(calls.get(), 1);
}

TEST_P(function_with_a_value, is_continued_and_outlives_its_runtime) {
  future<std::vector<float>> all;
  future<std::size_t> count;
  std::weak_ptr<int> watch;
  {
    runtime other(options_for(GetParam()));
    const buffer<float> y{other, 3, 1.0f};
    auto held = std::make_shared<int>(1);
    watch = held;
    all = other.submit([h = std::move(held)](
                           buffer_view<const float> v) { return std::vector(v.begin(), v.end()); },
                       reads(y));
    count = all.then([](const std::vector<float>& v) { return v.size(); });
  }
  EXPECT_TRUE(watch.expired()) << "the function is kept";
  EXPECT_THAT(all.get(), ElementsAre(1, 1, 1));
  EXPECT_EQ(count.get(), 3U);
}

TEST_P(function_with_a_value, fails_as_others_do) {
  const future<std::string> bad = rt.submit(
      {.label = "bad"}, [](buffer_view<float>) -> std::string { throw std::domain_error("no"); },
      updates(x));
  EXPECT_THROW((void)bad.get(), std::domain_error);
  const future<std::string> behind = rt.submit(
      {.label = "behind"}, [](buffer_view<const float>) { return std::string("never"); }, reads(x));
  EXPECT_THAT(behind.error().message(), HasSubstr("Task \"behind\" did not run"));
  std::stop_source stop;
  stop.request_stop();
  const future<std::string> cancelled = rt.submit(
      {.stop = stop.get_token()}, [](buffer_view<float>) { return std::string("never"); },
      writes(x));
  EXPECT_EQ(cancelled.error().code(), failure_code::cancelled);
}

TEST_P(function_with_a_value, in_a_recording_is_called_in_each_run) {
  const graph twice = rt.record([&](submitter& s) {
    auto one = std::make_unique<float>(1.0f);
    const future<std::string> text = s.submit(
        {.label = "text"},
        [o = std::move(one)](buffer_view<float> v) {
          v(0) += *o;
          return std::to_string(v(0));
        },
        updates(x));
    EXPECT_THAT(thrown_by<usage_error>([&] { (void)text.get(); }).what(), HasSubstr("recording"));
  });
  rt.run(twice);
  rt.run(twice).get();
  EXPECT_EQ(x.read()(0), 4.0f);
}

TEST_P(function_with_a_value, comes_after_ranges_of_futures) {
  std::list<future<std::string>> texts;
  for (int i = 0; i < 3; ++i) {
    texts.push_back(rt.submit(
        [i](buffer_view<float> v) {
          v(0) += static_cast<float>(i);
          return std::to_string(i);
        },
        updates(x)));
  }
  const future<std::size_t> behind = rt.submit(
      {.after = texts}, [](buffer_view<const float> v) { return v.size(); }, reads(x));
  EXPECT_EQ(behind.get(), 8U);
  for (const auto& each : texts) EXPECT_TRUE(each.done());
  const std::vector<future<std::string>> more(texts.begin(), texts.end());
  EXPECT_EQ(rt.async({.label = "functions too", .after = more}, [] { return 5; }).get(), 5);
  rt.run({.after = more}, rt.record([](submitter& s) { s.async([] {}); })).get();
  const future<std::size_t> first = when_any(more).then([](const auto& v) { return v.index; });
  EXPECT_LT(first.get(), 3U);
}

TEST_P(function_with_a_value, ends_in_time_or_not_at_all) {
  if (GetParam().clock == clock_kind::simulated) GTEST_SKIP() << "a function takes no time there";
  std::atomic<bool> released = false;
  const future<std::string> late = rt.submit(
      {.label = "late", .timeout = 20ms},
      [&](buffer_view<const float>) {
        while (!released) std::this_thread::yield();
        return std::string("late");
      },
      reads(x));
  // Which runs no task here, other than wait().
  while (!late.wait_for(10ms)) {
  }
  released = true;
  EXPECT_EQ(late.error().code(), failure_code::timed_out);
  rt.submit(ops::fill, 1.0f, writes(x)).get();
  EXPECT_EQ(late.error().code(), failure_code::timed_out);
}

TEST(FunctionOnADeviceThatExecutesNothing, SaysThatItHasNoValue) {
  runtime rt({.devices = "Sim0",
              .backends = {{"sim", "1,shared=yes,execute=no"}},
              .clock = clock_kind::simulated});
  const buffer<float> x{rt, 4, 1.0f};
  const future<std::string> none = rt.submit(
      {.label = "text"}, [](buffer_view<const float>) { return std::string("text"); }, reads(x));
  EXPECT_THAT(none.error().message(), HasSubstr("\"text\" has no value"));
}

}  // namespace
}  // namespace hocket
