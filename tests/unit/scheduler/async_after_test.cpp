// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// async() after any range of futures.

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <ranges>
#include <span>
#include <stdexcept>
#include <vector>

#include <hocket/execution/seed.hpp>

#include "runtimes.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;

class async_after : public on_every_engine {};
HOCKET_ON_EVERY_ENGINE(async_after);

/// The tasks with these numbers. They are given as a view, except to clang before 16, which does
/// not compile the views of GNU's library.
auto chosen(const std::vector<future<void>>& tasks, const std::vector<std::size_t>& numbers) {
  const auto task = [&tasks](std::size_t n) -> const future<void>& { return tasks[n]; };
#if defined(__clang__) && __clang_major__ < 16
  std::deque<future<void>> all;
  for (const std::size_t n : numbers) all.push_back(task(n));
  return all;
#else
  return numbers | std::views::transform(task);
#endif
}

/// Functions that each follow up to four earlier ones. Some throw.
class random_order {
 public:
  random_order(std::uint64_t seed, std::size_t count) : random_(seed), ended_(count) {}

  /// Submits all, to a runtime or a scope.
  template <class To>
  void submit(To& to) {
    for (std::size_t i = 0; i < ended_.size(); ++i) {
      std::vector<std::size_t> before;
      for (std::uint64_t k = i == 0 ? 0 : random_.below(5); k > 0; --k) {
        before.push_back(i - 1 - random_.below(std::min<std::size_t>(i, 50)));
      }
      const bool throws = random_.chance(0.02);
      tasks_.push_back(to.async(chosen(tasks_, before), [this, i, before, throws] {
        for (const std::size_t b : before) early_ += ended_[b] == 1 ? 0 : 1;
        if (throws) throw std::runtime_error("thrown");
        ++ended_[i];
      }));
      before_.push_back(before);
      throws_.push_back(throws);
    }
  }

  /// Compares with what running one after the other gives.
  void check() {
    std::vector<bool> good;
    for (std::size_t i = 0; i < ended_.size(); ++i) {
      const bool may_run = std::ranges::all_of(before_[i], [&](std::size_t b) { return good[b]; });
      good.push_back(may_run && !throws_[i]);
      const failure why = tasks_[i].error();
      ASSERT_EQ(ended_[i], good[i] ? 1 : 0) << i;
      ASSERT_EQ(static_cast<bool>(why), !good[i]) << i;
      if (!may_run) {
        ASSERT_EQ(why.code(), failure_code::dependency_failed) << i;
      }
    }
    EXPECT_EQ(early_, 0);
  }

 private:
  seeded_stream random_;
  std::vector<std::atomic<int>> ended_;
  std::vector<future<void>> tasks_;
  std::vector<std::vector<std::size_t>> before_;
  std::vector<bool> throws_;
  std::atomic<int> early_{0};
};

TEST_P(async_after, keeps_any_order_in_a_runtime) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    random_order all(seed, 500);
    all.submit(rt);
    all.check();
  }
}

TEST_P(async_after, keeps_any_order_in_a_scope) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    task_scope scope(rt);
    random_order all(seed, 500);
    all.submit(scope);
    all.check();
  }
}

TEST_P(async_after, keeps_any_order_in_tasks) {
  rt.async([&] {
      random_order all(1, 500);
      all.submit(rt);
      all.check();
    }).get();
}

TEST_P(async_after, takes_ranges_of_every_kind) {
  const future<int> one = rt.async([] { return 1; });
  const future<void> two = rt.async([] {});
  const std::vector<any_future> mixed{one, two};
  const std::deque<future<int>> same(3, one);
  const std::array<future<void>, 1> single{two};
  std::atomic<int> ran = 0;
  rt.async(std::vector<future<void>>(), [&] { ++ran; });
  rt.async(mixed, [&] { ++ran; });
  rt.async(future_list{one, two}, [&] { ++ran; });
  rt.async(same, [&] { ++ran; });
  rt.async(std::span(single), [&] { ++ran; });
  rt.wait();
  EXPECT_EQ(ran, 5);
  // All have ended by now.
  EXPECT_EQ(rt.async(mixed, [] { return 7; }).get(), 7);
}

TEST_P(async_after, follows_what_ends_elsewhere) {
  std::atomic<int> ended = 0;
  runtime other{options_for(GetParam())};
  const std::vector<future<void>> there{other.async([&] { ++ended; }),
                                        other.async([&] { ++ended; })};
  EXPECT_EQ(rt.async(there, [&] { return ended.load(); }).get(), 2);
}

TEST_P(async_after, refuses_what_has_no_task_and_keeps_the_function) {
  std::vector<future<void>> before{rt.async([] {}), future<void>()};
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> is_held = held;
  auto function = [held = std::move(held)] {};
  EXPECT_THROW((void)rt.async(before, std::move(function)), usage_error);
  EXPECT_FALSE(is_held.expired());
  before.pop_back();
  rt.async(before, std::move(function)).get();
}

TEST_P(async_after, can_be_cancelled_while_it_waits) {
  std::vector<future<void>> before;
  for (int i = 0; i < 3; ++i) {
    buffer<float> x{rt, 10, "x"};
    const auto view = x.write();
    before.push_back(rt.submit(ops::fill, 1.0f, writes(x)));
    const future<void> waits = rt.async(before, [] { FAIL(); });
    EXPECT_FALSE(waits.done());
    waits.cancel();
    EXPECT_EQ(waits.error().code(), failure_code::cancelled);
  }
  rt.wait();
}

}  // namespace
}  // namespace hocket
