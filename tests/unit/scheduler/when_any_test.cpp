// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/when_any.hpp>

#include <gmock/gmock.h>

#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include <hocket/core/sanitizers.hpp>
#include <hocket/scheduler/when_all.hpp>

#include "executors.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class when_any_of : public on_every_executor {};
HOCKET_ON_EVERY_EXECUTOR(when_any_of);

TEST_P(when_any_of, pending_ones_names_the_one_that_ends_first) {
  const auto slow = make_hand_task(rt);
  const auto quick = make_hand_task(rt);
  const auto first = when_any(future<int>(slow), future<int>(quick));
  EXPECT_FALSE(first.done());
  EXPECT_FALSE(first.wait_for(nanoseconds(1)));
  quick->end_with(7);
  EXPECT_EQ(first.get().index, 1U);
  EXPECT_EQ(first.get().which.get(), 7);
  slow->end_with(8);
  EXPECT_EQ(first.get().index, 1U) << "though the other has ended";
}

TEST_P(when_any_of, ended_ones_names_the_first_argument_that_has) {
  const auto never = make_hand_task(rt);
  const future<int> ended = rt.async([] { return 2; });
  ended.wait();
  const auto first = when_any(future<int>(never), ended, ready_future(3));
  EXPECT_TRUE(first.done());
  EXPECT_EQ(first.get().index, 1U);
  EXPECT_EQ(first.get().which.get(), 2);
  never->end_with(0);
}

TEST_P(when_any_of, functions_ends_with_one_of_them) {
  std::vector<future<int>> all;
  for (int i = 0; i < 50; ++i) all.push_back(rt.async([i] { return i * i; }));
  const auto [index, which] = when_any(all).get();
  EXPECT_EQ(which.get(), static_cast<int>(index * index));
}

TEST_P(when_any_of, several_types_gives_the_one_as_a_variant) {
  const auto number = make_hand_task(rt);
  const future<std::string> text = rt.async([] { return std::string("b"); });
  const auto first = when_any(future<int>(number), text).get();
  ASSERT_EQ(first.index(), 1U);
  EXPECT_EQ(std::get<1>(first).get(), "b");
  number->end_with(0);
}

TEST_P(when_any_of, a_range_of_any_kind_takes_it) {
  const std::list<future<void>> all{rt.async([] {}), rt.async([] {})};
  EXPECT_LT(when_any(all).get().index, 2U);
  const std::vector<any_future> mixed{rt.async([] { return 1; }), all.front()};
  when_any(mixed).get().which.get();
}

TEST_P(when_any_of, one_that_fails_does_not_fail_but_names_it) {
  const auto never = make_hand_task(rt);
  const future<int> bad = rt.async("bad", []() -> int { throw std::domain_error("no"); });
  const auto first = when_any(future<int>(never), bad);
  EXPECT_FALSE(first.error());
  EXPECT_EQ(first.get().index, 1U);
  EXPECT_THROW((void)first.get().which.get(), std::domain_error);
  never->end_with(0);
  rt.wait_until_idle();
  EXPECT_THAT(rt.unseen_failures(), IsEmpty());
}

TEST_P(when_any_of, one_that_fails_unseen_leaves_the_failure_to_be_reported) {
  const future<int> bad = rt.async("bad", []() -> int { throw std::domain_error("no"); });
  (void)when_any(std::vector{bad}).get();
  rt.wait_until_idle();
  EXPECT_THAT(rt.unseen_failures(), ElementsAre("Task \"bad\" failed: no."));
}

TEST_P(when_any_of, cancelled_ones_names_the_cancelled_one) {
  const auto gate = make_hand_task(rt);
  const future<int> behind = rt.async([] { return 1; }, {}, {gate});
  const auto first = when_any(future<int>(gate), behind);
  behind.cancel();
  EXPECT_EQ(first.get().index, 1U);
  EXPECT_EQ(first.get().which.error().code(), failure_code::cancelled);
  gate->end_with(0);
}

TEST_P(when_any_of, pending_ones_is_cancelled_alone) {
  const auto pending = make_hand_task(rt);
  const auto first = when_any(future<int>(pending), future<int>(pending));
  first.cancel();
  EXPECT_EQ(first.error().code(), failure_code::cancelled);
  EXPECT_FALSE(pending->done());
  first.cancel();
  pending->end_with(1);
  EXPECT_EQ(future<int>(pending).get(), 1);
  EXPECT_EQ(first.error().code(), failure_code::cancelled);
}

TEST_P(when_any_of, nothing_and_of_empty_futures_throws) {
  EXPECT_THAT(message_of([] { (void)when_any(std::vector<future<int>>{}); }),
              HasSubstr("given no futures"));
  EXPECT_THAT(message_of([&] { (void)when_any(rt.async([] {}), future<void>()); }),
              HasSubstr("without a task"));
}

/// A worker may hold a task for a moment after its end.
bool comes_to_expire(const std::weak_ptr<int>& content) {
  for (int i = 0; i < 5000 && !content.expired(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return content.expired();
}

TEST_P(when_any_of, others_keeps_none_of_their_results) {
  const auto pending = make_hand_task(rt);
  auto content = std::make_shared<int>(3);
  const std::weak_ptr<int> watch = content;
  std::vector<future<std::shared_ptr<int>>> all;
  all.push_back(rt.async([c = std::move(content)] { return c; }));
  all.push_back(future<int>(pending).then([](int) { return std::shared_ptr<int>(); }));
  {
    const auto first = when_any(all);
    EXPECT_EQ(first.get().index, 0U);
    all.erase(all.begin());
    EXPECT_FALSE(watch.expired()) << "the future keeps the one that was first";
  }
  EXPECT_TRUE(comes_to_expire(watch)) << "though another has not ended";
  pending->end_with(0);
}

TEST_P(when_any_of, losers_lets_go_of_them_when_they_end) {
  const auto pending = make_hand_task(rt);
  auto content = std::make_shared<int>(3);
  const std::weak_ptr<int> watch = content;
  future<std::shared_ptr<int>> loser =
      future<int>(pending).then([c = std::move(content)](int) { return c; });
  const auto first =
      when_any(ready_future(1).then(cheap, [](int) { return std::shared_ptr<int>(); }), loser);
  EXPECT_EQ(first.get().index, 0U);
  pending->end_with(0);
  rt.wait_until_idle();
  EXPECT_TRUE(loser.done());
  loser = {};
  EXPECT_TRUE(comes_to_expire(watch)) << "though the future of when_any is there";
}

TEST_P(when_any_of, continued_goes_on) {
  const auto first = when_any(rt.async([] { return 20; }), rt.async([] { return 20; }));
  EXPECT_EQ(first.then([](const auto& ended) { return ended.which.get() + 1; }).get(), 21);
}

future<int> sum_of_first(std::vector<future<int>> all) {
  const auto first = when_any(all);
  const auto ended = co_await first;
  co_return ended.which.get() + 1;
}

TEST_P(when_any_of, a_coroutine_awaits_it) {
  EXPECT_EQ(sum_of_first({rt.async([] { return 4; }), rt.async([] { return 4; })}).get(), 5);
}

TEST_P(when_any_of, many_again_and_again_names_each_once) {
  std::vector<future<int>> left;
  for (int i = 0; i < 40; ++i) left.push_back(rt.async([i] { return i; }));
  int sum = 0;
  while (!left.empty()) {
    const auto ended = when_any(left).get();
    sum += ended.which.get();
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(ended.index));
  }
  EXPECT_EQ(sum, 39 * 40 / 2);
}

/// Each names the one before it.
future<first_ended<void>> chain_of(std::size_t length, const any_future& first,
                                   const any_future& other) {
  future<first_ended<void>> last = when_any(std::vector{first, other});
  for (std::size_t i = 1; i < length; ++i) last = when_any(std::vector{any_future(last), other});
  return last;
}

#if defined(HOCKET_ADDRESS_SANITIZER) || defined(HOCKET_THREAD_SANITIZER)
// Frames of the stack are larger there, and calls slower.
constexpr std::size_t long_chain = 40'000;
#else
constexpr std::size_t long_chain = 200'000;
#endif

TEST_P(when_any_of, itself_in_a_long_chain_ends_and_is_released_without_recursion) {
  const auto gate = make_hand_task(rt);
  const auto never = make_hand_task(rt);
  future<first_ended<void>> last = chain_of(long_chain, future<int>(gate), future<int>(never));
  EXPECT_FALSE(last.done());
  gate->end_with(1);
  EXPECT_EQ(last.get().index, 0U);
  last = {};
  never->end_with(0);
}

TEST_P(when_any_of, itself_in_a_long_chain_is_cancelled_without_recursion) {
  const auto gate = make_hand_task(rt);
  const auto never = make_hand_task(rt);
  const auto first = when_any(std::vector{future<int>(gate)});
  future<first_ended<void>> last = chain_of(long_chain, first, future<int>(never));
  first.cancel();
  EXPECT_FALSE(last.error());
  gate->end_with(1);
  never->end_with(0);
}

TEST_P(when_any_of, ended_ones_in_a_long_chain_is_released_without_recursion) {
  future<first_ended<void>> last = chain_of(5 * long_chain, ready_future(1), ready_future(2));
  EXPECT_TRUE(last.done());
  last.cancel();
  EXPECT_EQ(last.get().index, 0U);
  last = {};
}

TEST_P(when_any_of, the_same_ones_become_ready_in_the_order_of_the_calls) {
  const auto gate = make_hand_task(rt);
  std::vector<int> order;
  std::vector<future<void>> all;
  for (int i = 0; i < 4; ++i) {
    const auto first = when_any(future<int>(gate), future<int>(gate));
    all.push_back(first.then(cheap, [&order, i](const auto&) { order.push_back(i); }));
  }
  gate->end_with(1);
  wait_all(all);
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3));
}

class racing_ends : public on_every_executor {};
INSTANTIATE_TEST_SUITE_P(, racing_ends, ::testing::Values(executor_kind::two_workers),
                         executor_name);

/// Ends, a cancellation and the call itself meet.
TEST_P(racing_ends, give_one_answer) {
  for (int turn = 0; turn < 300; ++turn) {
    const auto a = make_hand_task(rt);
    const auto b = make_hand_task(rt);
    std::jthread ends_a([&] { a->end_with(1); });
    std::jthread ends_b([&] { b->end_with(2); });
    const auto first = when_any(future<int>(a), future<int>(b));
    if (turn % 3 == 0) first.cancel();
    if (const failure why = first.error()) {
      EXPECT_EQ(why.code(), failure_code::cancelled);
    } else {
      EXPECT_EQ(first.get().which.get(), static_cast<int>(first.get().index) + 1);
    }
  }
}

}  // namespace
}  // namespace hocket
