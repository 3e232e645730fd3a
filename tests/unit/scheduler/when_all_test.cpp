// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/when_all.hpp>

#include <gmock/gmock.h>

#include <string>

#include "executors.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class when_all_of : public on_every_executor {};
HOCKET_ON_EVERY_EXECUTOR(when_all_of);

TEST_P(when_all_of, several_gives_a_tuple) {
  const auto both = when_all(rt.async([] { return 1; }), rt.async([] { return std::string("b"); }));
  EXPECT_EQ(both.get(), std::tuple(1, "b"));
}

TEST_P(when_all_of, voids_gives_void) {
  const future<void> f = when_all(rt.async([] {}), rt.async([] {}));
  f.get();
}

TEST_P(when_all_of, nothing_is_done) {
  EXPECT_TRUE(when_all(std::vector<future<void>>{}).done());
  EXPECT_TRUE(when_all(std::vector<future<int>>{}).get().empty());
}

TEST_P(when_all_of, a_void_and_a_value_keeps_the_places) {
  const auto f = when_all(rt.async([] {}), rt.async([] { return 2; }));
  EXPECT_EQ(std::get<1>(f.get()), 2);
}

TEST_P(when_all_of, a_vector_gives_a_vector) {
  std::vector<future<int>> all;
  for (int i = 0; i < 4; ++i) all.push_back(rt.async([i] { return i; }));
  EXPECT_THAT(when_all(all).get(), ElementsAre(0, 1, 2, 3));
}

TEST_P(when_all_of, a_future_without_a_task_throws) {
  EXPECT_THROW((void)when_all(rt.async([] {}), future<void>()), usage_error);
}

TEST_P(when_all_of, failing_ones_waits_for_all_and_fails_as_the_first) {
  const auto last = make_hand_task(rt);
  const future<int> a = rt.async("a", []() -> int { throw std::out_of_range("first"); });
  const future<int> b = rt.async("b", []() -> int { throw std::domain_error("second"); });
  const auto all = when_all(a, b, future<int>(last));
  const auto reversed = when_all(b, a);
  EXPECT_THROW((void)reversed.get(), std::domain_error);
  EXPECT_FALSE(all.done());
  last->end_with(1);
  EXPECT_THROW((void)all.get(), std::out_of_range);
  EXPECT_EQ(all.error().message(), "Task \"a\" failed: first.");
  rt.wait_until_idle();
  EXPECT_THAT(rt.unseen_failures(), IsEmpty());
}

TEST_P(when_all_of, failing_ones_that_nobody_looks_at_keeps_one) {
  const future<int> a = rt.async("a", []() -> int { throw std::out_of_range("first"); });
  const future<int> b = rt.async("b", []() -> int { throw std::domain_error("second"); });
  (void)when_all(a, b);
  rt.wait_until_idle();
  EXPECT_THAT(rt.unseen_failures(), ElementsAre("Task \"a\" failed: first."));
}

TEST_P(when_all_of, many_gives_all) {
  std::vector<future<int>> all;
  for (int i = 0; i < 2000; ++i) all.push_back(rt.async([i] { return i; }));
  EXPECT_EQ(when_all(all).get().back(), 1999);
}

}  // namespace
}  // namespace hocket
