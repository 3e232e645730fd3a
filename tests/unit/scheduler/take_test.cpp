// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <hocket/scheduler/runtime.hpp>
#include <hocket/scheduler/when_all.hpp>

#include "executors.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;
using ::testing::HasSubstr;

using owned = std::unique_ptr<int>;

class taken_value : public on_every_executor {};
HOCKET_ON_EVERY_EXECUTOR(taken_value);

TEST_P(taken_value, of_a_type_that_only_moves_is_had) {
  const future<owned> made = rt.async([] { return std::make_unique<int>(7); });
  const owned mine = made.take();
  EXPECT_EQ(*mine, 7);
}

TEST_P(taken_value, is_gone_for_all_others_in_words) {
  const future<owned> made = rt.async("made", [] { return std::make_unique<int>(7); });
  const future<owned> copy = made;
  const future<int> earlier = made.then([](const owned& v) { return *v; });
  earlier.wait();
  (void)copy.take();
  const auto gone = HasSubstr("The value of task \"made\" is gone: take() has moved it out.");
  EXPECT_THAT(message_of([&] { (void)made.take(); }), gone);
  EXPECT_THAT(message_of([&] { (void)made.get(); }), gone);
  EXPECT_THAT(message_of([&] { (void)future<owned>(made).get(); }), gone);
  const future<int> later = made.then([](const owned& v) { return *v; });
  EXPECT_THAT(message_of([&] { (void)later.get(); }), gone);
  EXPECT_EQ(earlier.get(), 7);
  EXPECT_FALSE(made.error()) << "the task has ended well";
}

future<int> awaits(future<owned> made) {
  const owned& value = co_await made;
  co_return *value;
}

TEST_P(taken_value, is_gone_for_coroutines) {
  const future<owned> made = rt.async([] { return std::make_unique<int>(7); });
  EXPECT_EQ(awaits(made).get(), 7);
  (void)made.take();
  EXPECT_THAT(message_of([&] { (void)awaits(made).get(); }), HasSubstr("is gone"));
}

using owned_list = std::vector<owned>;

future<std::size_t> awaits_list(future<owned_list> made) {
  const owned_list& value = co_await made;
  co_return value.size();
}

/// std::is_copy_constructible is true of such a vector, which cannot be copied nevertheless.
TEST_P(taken_value, of_elements_that_only_move_is_had) {
  const auto make = [] {
    owned_list two(2);
    two.front() = std::make_unique<int>(7);
    return two;
  };
  EXPECT_EQ(rt.async(make).get().size(), 2U);
  EXPECT_EQ(awaits_list(rt.async(make)).get(), 2U);
  EXPECT_EQ(*rt.async(make).take().front(), 7);
}

TEST_P(taken_value, of_a_copy_is_gone_for_when_all) {
  const future<std::string> text = rt.async([] { return std::string("long enough to be moved"); });
  EXPECT_EQ(text.take(), "long enough to be moved");
  EXPECT_THAT(message_of([&] { (void)when_all(text, rt.async([] {})).get(); }),
              HasSubstr("is gone"));
}

TEST_P(taken_value, of_a_failed_task_is_what_it_threw) {
  const future<owned> bad = rt.async([]() -> owned { throw std::domain_error("no"); });
  EXPECT_THROW((void)bad.take(), std::domain_error);
  EXPECT_THROW((void)bad.take(), std::domain_error);
}

TEST_P(taken_value, of_a_future_that_is_ready_is_had) {
  const future<owned> made = ready_future(std::make_unique<int>(3));
  EXPECT_EQ(*made.take(), 3);
  EXPECT_THAT(message_of([&] { (void)made.take(); }), HasSubstr("is gone"));
}

TEST_P(taken_value, is_given_to_one_of_many_threads) {
  for (int turn = 0; turn < 50; ++turn) {
    const future<owned> made = ready_future(std::make_unique<int>(turn));
    std::atomic<int> had = 0, refused = 0;
    {
      std::vector<std::jthread> all;
      for (int t = 0; t < 4; ++t) {
        all.emplace_back([&] {
          try {
            if (*made.take() == turn) ++had;
          } catch (const usage_error&) {
            ++refused;
          }
        });
      }
    }
    EXPECT_EQ(had, 1);
    EXPECT_EQ(refused, 3);
  }
}

class taken_number : public ::testing::TestWithParam<data_path> {};

TEST_P(taken_number, is_gone_for_tasks_and_conditions) {
  runtime rt{{.devices = "NUMA0", .data_tasks = GetParam()}};
  const future<float> made = rt.async({.label = "made"}, [] { return 3.5f; });
  const future<bool> condition = rt.async({.label = "condition"}, [] { return true; });
  const future<int> choice = rt.async({.label = "choice"}, [] { return 0; });
  (void)made.take();
  (void)condition.take();
  (void)choice.take();
  const buffer<float> x{rt, 4, 0.0f};
  const graph fills = rt.record([&](submitter& s) { s.submit(ops::fill, 1.0f, writes(x)); });
  const auto gone = [](const char* name) {
    return HasSubstr("The value of task \"" + std::string(name) + "\" is gone");
  };
  EXPECT_THAT(message_of([&] { rt.submit(ops::fill, made, writes(x)); }), gone("made"));
  EXPECT_THAT(message_of([&] { rt.run_if(condition, fills); }), gone("condition"));
  EXPECT_THAT(message_of([&] { rt.run_one_of(choice, {fills}); }), gone("choice"));
  (void)rt.record([&](submitter& s) {
    EXPECT_THAT(message_of([&] { s.submit(ops::fill, made, writes(x)); }), gone("made"));
    EXPECT_THAT(message_of([&] { s.run_if(condition, fills); }), gone("condition"));
  });
}

INSTANTIATE_TEST_SUITE_P(, taken_number, ::testing::Values(data_path::placed, data_path::in_place),
                         [](const auto& each) {
                           return each.param == data_path::placed ? "placed" : "in_place";
                         });

class range_of_several : public on_every_executor {};
HOCKET_ON_EVERY_EXECUTOR(range_of_several);

TEST_P(range_of_several, is_waited_for) {
  std::vector<future<int>> all;
  for (int i = 0; i < 20; ++i) all.push_back(rt.async([i] { return i; }));
  all.push_back(rt.async([]() -> int { throw std::domain_error("no"); }));
  wait_all(all);
  for (const future<int>& each : all) EXPECT_TRUE(each.done());
  wait_all(std::span(all).first(2));
  EXPECT_THAT(message_of([] { wait_all(std::array{future<int>()}); }), HasSubstr("without a task"));
}

TEST_P(range_of_several, is_gathered) {
  const std::array<future<int>, 2> two{rt.async([] { return 1; }), rt.async([] { return 2; })};
  EXPECT_THAT(when_all(two).get(), ::testing::ElementsAre(1, 2));
  EXPECT_THAT(when_all(std::span(two)).get(), ::testing::ElementsAre(1, 2));
  const std::vector<any_future> mixed{two[0], rt.async([] {})};
  const future<void> both = when_all(mixed);
  both.get();
}

}  // namespace
}  // namespace hocket
