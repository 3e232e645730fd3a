// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/future.hpp>

#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "executors.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;
using namespace std::chrono_literals;

class futures : public on_every_executor {};
HOCKET_ON_EVERY_EXECUTOR(futures);

TEST_P(futures, hold_the_result_of_a_task) {
  const future<int> f = rt.async([] { return 7; });
  EXPECT_EQ(f.get(), 7);
  EXPECT_TRUE(f.done());
  const future<int> copy = f;
  EXPECT_EQ(&f.get(), &copy.get()) << "copies share the result";
}

TEST_P(futures, of_void_wait) {
  bool ran = false;
  rt.async([&] { ran = true; }).get();
  EXPECT_TRUE(ran);
}

TEST_P(futures, hold_what_can_only_be_moved) {
  const future<std::unique_ptr<int>> f =
      rt.async([own = std::make_unique<int>(4)]() mutable { return std::move(own); });
  EXPECT_EQ(*f.get(), 4);
  EXPECT_EQ(f.then([](const std::unique_ptr<int>& p) { return *p + 1; }).get(), 5);
}

TEST_P(futures, that_are_gone_leave_the_result) {
  int sum = 0;
  for (const int x : rt.async([] { return std::vector{1, 2, 3}; }).get()) sum += x;
  EXPECT_EQ(sum, 6);
}

TEST_P(futures, without_a_task_throw) {
  const future<int> none;
  EXPECT_FALSE(none.valid());
  EXPECT_THROW((void)none.get(), usage_error);
  EXPECT_THROW(none.wait(), usage_error);
  EXPECT_THROW((void)none.done(), usage_error);
  EXPECT_THROW(none.cancel(), usage_error);
  EXPECT_THROW((void)none.then([](int) {}), usage_error);
  EXPECT_THROW((void)none.error(), usage_error);
}

TEST_P(futures, can_be_ready_from_the_start) {
  EXPECT_EQ(ready_future(std::string("x")).get(), "x");
  EXPECT_TRUE(ready_future().done());
  EXPECT_EQ(ready_future(2).then([](int x) { return x + 1; }).get(), 3);
}

TEST_P(futures, have_a_label) {
  EXPECT_EQ(rt.async("forward", [] {}).label(), "forward");
}

TEST_P(futures, continue_in_the_arena) {
  const future<bool> f = rt.async([] {}).then([this] { return where->inside(); });
  rt.wait_until_idle();
  EXPECT_TRUE(f.get());
}

TEST_P(futures, continue_with_what_is_cheap_where_the_task_ends) {
  const auto task = make_hand_task(rt);
  std::thread::id ran_in;
  const future<int> f = future<int>(task).then(cheap, [&](int x) {
    ran_in = std::this_thread::get_id();
    return x + 1;
  });
  EXPECT_FALSE(f.done());
  task->end_with(1);
  EXPECT_TRUE(f.done());
  EXPECT_EQ(f.get(), 2);
  EXPECT_EQ(ran_in, std::this_thread::get_id());
}

TEST_P(futures, continue_on_another_executor) {
  seeded_executor other;
  const auto task = make_hand_task(rt);
  const future<bool> f = future<int>(task).via(other).then([&](int) { return other.inside(); });
  task->end_with(1);
  EXPECT_EQ(other.run_until_idle(), 1U);
  EXPECT_TRUE(f.done());
  EXPECT_TRUE(f.get());
}

TEST_P(futures, run_after_others) {
  std::vector<int> order;
  const future<void> a = rt.async([&] { order.push_back(1); });
  const future<void> b = rt.async([&] { order.push_back(2); }, {}, {a.state()});
  const future<void> c = rt.async([&] { order.push_back(3); }, {}, {a.state(), b.state()});
  c.get();
  EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

TEST_P(futures, run_after_one_task_given_twice) {
  const auto task = make_hand_task(rt);
  const future<int> f = rt.async([] { return 1; }, {}, {task, task});
  task->end_with(0);
  EXPECT_EQ(f.get(), 1);
}

TEST_P(futures, run_diamonds) {
  for (int i = 0; i < 100; ++i) {
    const future<int> top = rt.async([] { return 1; });
    const future<int> left = top.then([](int x) { return x + 1; });
    const future<int> right = top.then([](int x) { return x + 2; });
    const auto sum = [left, right] { return left.get() + right.get(); };
    ASSERT_EQ(rt.async(sum, {}, {left.state(), right.state()}).get(), 5);
  }
}

TEST_P(futures, run_long_chains) {
  future<int> last = ready_future(0);
  const auto first = make_hand_task(rt);
  last = future<int>(first);
  for (int i = 0; i < 20000; ++i) last = last.then([](int x) { return x + 1; });
  first->end_with(5);
  EXPECT_EQ(last.get(), 20005);
}

TEST_P(futures, free_what_a_chain_no_longer_needs) {
  auto data = std::make_shared<int>(3);
  const std::weak_ptr<int> watch = data;
  const future<int> f =
      rt.async([d = std::move(data)] { return *d; }).then([](int x) { return x; });
  EXPECT_EQ(f.get(), 3);
  rt.wait_until_idle();
  EXPECT_TRUE(watch.expired()) << "a body goes when it has run";
}

TEST_P(futures, of_many_tasks_at_once) {
  std::vector<future<int>> all;
  for (int i = 0; i < 5000; ++i) all.push_back(rt.async([i] { return i; }));
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(all[static_cast<std::size_t>(i)].get(), i);
  rt.wait_until_idle();
  EXPECT_EQ(rt.unended(), 0);
}

TEST_P(futures, can_be_dropped) {
  std::atomic<int> ran = 0;
  for (int i = 0; i < 100; ++i) (void)rt.async([&] { ++ran; }).then([&] { ++ran; });
  rt.wait_until_idle();
  EXPECT_EQ(ran, 200);
}

TEST_P(futures, wait_for_a_time) {
  const auto task = make_hand_task(rt);
  const future<int> f{task};
  EXPECT_FALSE(f.wait_for(0ms));
  EXPECT_FALSE(f.wait_for(1ms));
  task->end_with(1);
  EXPECT_TRUE(f.wait_for(0ms));
  EXPECT_TRUE(f.wait_for(nanoseconds::max()));
}

TEST_P(futures, know_their_status) {
  const auto task = make_hand_task(rt);
  const future<int> f = future<int>(task).then([](int x) { return x; });
  EXPECT_EQ(f.state()->status(), detail::task_status::pending);
  task->end_with(1);
  f.wait();
  EXPECT_EQ(f.state()->status(), detail::task_status::done);
}

TEST_P(futures, refuse_to_wait_where_that_never_ends) {
  const auto task = make_hand_task(rt, "reader");
  rt.forbid_wait = true;
  EXPECT_EQ(message_of([&] { future<int>(task).wait(); }),
            "Task \"reader\" is waited for where that never ends.");
  rt.forbid_wait = false;
  task->end_with(1);
}

TEST_P(futures, start_a_recorded_function_again_and_again) {
  std::atomic<int> runs = 0;
  const boost::intrusive_ptr<detail::recorded_functions> kept(new detail::recorded_functions);
  detail::recorded_function& function = kept->add([&] { return ++runs; });
  future<int> last;
  for (int i = 0; i < 10; ++i) {
    std::vector<detail::task_state_ptr> after;
    if (last.valid()) after.push_back(last.state());
    last = future<int>(function.start(kept, rt, {}, after));
  }
  EXPECT_EQ(last.get(), 10);
}

TEST(futures_alone, outlive_their_runtime) {
  future<std::string> good;
  future<void> bad;
  future<void> late;
  {
    seeded_executor where;
    host_fixture rt{where};
    good = rt.async([] { return std::string("kept"); });
    bad = rt.async("bad", [] { throw std::runtime_error("gone"); });
    late = bad.then([] {});
  }
  EXPECT_EQ(good.get(), "kept");
  EXPECT_THROW(bad.get(), std::runtime_error);
  EXPECT_THROW(late.get(), error);
  EXPECT_TRUE(good.wait_for(1ms));
  good.cancel();
}

/// A recorded task, as far as futures see one.
class recorded final : public detail::task_state {
 public:
  recorded() : task_state(nullptr, "later") {}
  [[nodiscard]] std::string_view not_waitable() const noexcept override {
    return "has no result before its graph is run.";
  }
};

TEST(futures_alone, of_recorded_tasks_say_that_they_have_no_result) {
  const future<int> f{detail::task_state_ptr(new recorded)};
  const std::string expected = "Task \"later\" has no result before its graph is run.";
  EXPECT_EQ(message_of([&] { (void)f.get(); }), expected);
  EXPECT_EQ(message_of([&] { f.wait(); }), expected);
  EXPECT_EQ(message_of([&] { (void)f.wait_for(1s); }), expected);
  EXPECT_EQ(message_of([&] { (void)f.then([](int) {}); }), expected);
}

/// An executor that has no memory for items.
class full_executor final : public executor {
 public:
  time_stamp now() const noexcept override { return {}; }
  bool is_virtual() const noexcept override { return true; }
  std::size_t arenas() const noexcept override { return 1; }
  std::size_t workers(std::size_t) const noexcept override { return 1; }
  void post(std::size_t, int, work_item) override { throw std::bad_alloc(); }
  void post_bare(std::size_t, int, bare_item, worker_record*) override { throw std::bad_alloc(); }
  void post_at(time_stamp, work_item) override { throw std::bad_alloc(); }
  void call_at(time_stamp, work_item) override { throw std::bad_alloc(); }
  void for_ranges(std::size_t, std::size_t, std::size_t,
                  const std::function<void(std::size_t, std::size_t)>&) override {}
  bool wait(const std::function<void(std::shared_ptr<gate>)>&, time_stamp) override {
    return false;
  }
  [[nodiscard]] bool others_work() const noexcept override { return false; }
  bool inside() const noexcept override { return false; }
};

TEST(futures_alone, run_here_when_there_is_no_memory_to_post) {
  full_executor where;
  host_fixture rt{where};
  EXPECT_EQ(rt.async([] { return 1; }).then([](int x) { return x + 1; }).get(), 2);
}

}  // namespace
}  // namespace hocket
