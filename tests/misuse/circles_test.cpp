// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "guard.hpp"
#include "support.hpp"

namespace hocket {
namespace {

using hocket::testing::guard_thread;
using hocket::testing::refusal;
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// What a wait says, or nothing.
template <class F>
[[nodiscard]] std::string said_by(F&& wait) {
  try {
    wait();
    return {};
  } catch (const usage_error& thrown) {
    return thrown.what();
  }
}

/// Two parties come here and go on together.
class meeting_point {
 public:
  void come() {
    ++come_;
    while (come_ < 2) std::this_thread::sleep_for(1ms);
  }

 private:
  std::atomic<int> come_{0};
};

class WaitingInACircle : public ::testing::TestWithParam<data_path> {
 protected:
  guard_thread guard_;
  runtime rt_{{.devices = "NUMA0", .data_tasks = GetParam()}};
  buffer<float> x_{rt_, 10, 1.0f, "x"};
  buffer<float> y_{rt_, 10, 1.0f, "y"};
};

TEST_P(WaitingInACircle, AFunctionForItself) {
  future<void> self;
  std::atomic<bool> is_set = false;
  std::string said;
  self = rt_.async({.label = "narcissus"}, [&] {
    is_set.wait(false);
    said = refusal([&] { self.wait(); });
  });
  is_set = true;
  is_set.notify_all();
  self.get();
  EXPECT_THAT(said, AllOf(HasSubstr("\"narcissus\""), HasSubstr("itself")));
}

TEST_P(WaitingInACircle, AFunctionWithAccessesForItself) {
  future<void> self;
  std::atomic<bool> is_set = false;
  std::string said;
  self = rt_.submit(
      {.label = "narcissus"},
      [&](buffer_view<float>) {
        is_set.wait(false);
        said = refusal([&] { self.wait(); });
      },
      updates(x_));
  is_set = true;
  is_set.notify_all();
  self.get();
  EXPECT_THAT(said, AllOf(HasSubstr("\"narcissus\""), HasSubstr("itself")));
}

TEST_P(WaitingInACircle, AScopeWhoseTaskComesAfterTheOneThatWaits) {
  std::string said;
  rt_.submit(
         {.label = "outer"},
         [&](buffer_view<float>) {
           task_scope mine(rt_, {.label = "mine"});
           const future<void> inner = mine.submit({.label = "inner"}, ops::fill, 1.0f, writes(x_));
           said = refusal([&] { mine.wait(); });
           inner.cancel();
         },
         updates(x_))
      .get();
  EXPECT_EQ(said,
            "The scope \"mine\" is waited for by task \"outer\", which task \"inner\" comes after, "
            "and that belongs to it: neither ever ends.");
}

TEST_P(WaitingInACircle, TheEndOfAScopeWhoseTaskComesAfterTheOneThatWaits) {
  future<void> inner;
  ::testing::internal::CaptureStderr();
  rt_.submit(
         {.label = "outer"},
         [&](buffer_view<float>) {
           task_scope mine(rt_, {.label = "mine"});
           inner = mine.submit({.label = "inner"}, ops::fill, 1.0f, writes(x_));
         },
         updates(x_))
      .get();
  EXPECT_EQ(inner.error().code(), failure_code::cancelled);
  EXPECT_THAT(
      ::testing::internal::GetCapturedStderr(),
      AllOf(HasSubstr("a scope ends with tasks that can never run"), HasSubstr("task \"inner\"")));
}

TEST_P(WaitingInACircle, AFunctionAndItsScopeWhoseTaskComesAfterIt) {
  future<void> outer;
  std::atomic<bool> is_set = false;
  std::string said;
  outer = rt_.async({.label = "outer"}, [&] {
    is_set.wait(false);
    task_scope mine(rt_, {.label = "mine"});
    const future<void> inner = mine.async({.label = "inner", .after = {outer}}, [] {});
    said = refusal([&] { mine.wait(); });
    inner.cancel();
  });
  is_set = true;
  is_set.notify_all();
  outer.get();
  EXPECT_THAT(said, AllOf(HasSubstr("task \"outer\""), HasSubstr("task \"inner\"")));
}

TEST_P(WaitingInACircle, PiecesOfAWideKernelForIt) {
  future<void> self;
  std::atomic<bool> has_begun = false;
  std::atomic<bool> is_set = false;
  std::atomic<int> refused = 0;
  const auto wide = kernel<inout_buffer<float>>{
      "narcissus", host_body{[&](lane_group& lanes, buffer_view<float>) {
        has_begun = true;
        is_set.wait(false);
        lanes.for_ranges(8, 1, [&](std::size_t, std::size_t) {
          // Time for the other workers to come: they have to know the task as well.
          std::this_thread::sleep_for(2ms);
          if (refusal([&] { self.wait(); }).find("\"narcissus\"") != std::string::npos) ++refused;
        });
      }}}.wide();
  // Behind no other task, and in the hands of a worker: that worker knows it by its item.
  rt_.wait();
  self = rt_.submit(wide, updates(x_));
  while (!has_begun) std::this_thread::sleep_for(1ms);
  is_set = true;
  is_set.notify_all();
  self.get();
  EXPECT_EQ(refused, 8);
}

TEST_P(WaitingInACircle, AFunctionForTheGraphThatItIsPartOf) {
  future<void> run;
  std::atomic<bool> is_set = false;
  std::string said;
  const graph g = rt_.record([&](submitter& s) {
    s.async([&] {
      is_set.wait(false);
      said = refusal([&] { run.wait(); });
    });
    s.async([] {});
  });
  run = rt_.run({.label = "step"}, g);
  is_set = true;
  is_set.notify_all();
  run.get();
  EXPECT_THAT(said, AllOf(HasSubstr("\"step\""), HasSubstr("itself")));
}

TEST_P(WaitingInACircle, PiecesOfAWideKernelForTheGraphThatItIsPartOf) {
  future<void> run;
  std::atomic<bool> is_set = false;
  std::atomic<int> refused = 0;
  const auto wide = kernel<inout_buffer<float>>{
      "wide", host_body{[&](lane_group& lanes, buffer_view<float>) {
        is_set.wait(false);
        lanes.for_ranges(8, 1, [&](std::size_t, std::size_t) {
          std::this_thread::sleep_for(2ms);
          if (refusal([&] { run.wait(); }).find("\"step\"") != std::string::npos) ++refused;
        });
      }}}.wide();
  const graph g = rt_.record([&](submitter& s) {
    s.submit(wide, updates(x_));
    s.submit(wide, updates(y_));
  });
  rt_.wait();
  run = rt_.run({.label = "step"}, g);
  is_set = true;
  is_set.notify_all();
  run.get();
  EXPECT_EQ(refused, 16);
}

TEST_P(WaitingInACircle, AFunctionForItsContinuation) {
  future<void> later;
  std::atomic<bool> is_set = false;
  std::string said;
  const future<void> first = rt_.async({.label = "first"}, [&] {
    is_set.wait(false);
    said = refusal([&] { later.wait(); });
  });
  later = first.then([] {});
  is_set = true;
  is_set.notify_all();
  first.get();
  later.get();
  EXPECT_THAT(said, HasSubstr("task \"first\""));
}

TEST_P(WaitingInACircle, AFunctionForALaterOneThatUsesItsBuffer) {
  future<void> second;
  std::atomic<bool> is_set = false;
  std::string said;
  const future<void> first = rt_.submit(
      {.label = "first"},
      [&](buffer_view<float>) {
        is_set.wait(false);
        said = refusal([&] { second.wait(); });
      },
      updates(x_));
  second = rt_.submit({.label = "second"}, ops::fill, 2.0f, writes(x_));
  is_set = true;
  is_set.notify_all();
  first.get();
  second.get();
  EXPECT_THAT(said, AllOf(HasSubstr("task \"second\""), HasSubstr("task \"first\"")));
}

TEST_P(WaitingInACircle, TwoFunctionsForOneAnother) {
  future<void> a;
  future<void> b;
  std::atomic<bool> is_set = false;
  std::string of_a;
  std::string of_b;
  // Each needs a worker of its own, or runs within the other's wait: it is a circle in any case.
  a = rt_.async({.label = "a"}, [&] {
    is_set.wait(false);
    of_a = said_by([&] { b.wait(); });
  });
  b = rt_.async({.label = "b"}, [&] {
    is_set.wait(false);
    of_b = said_by([&] { a.wait(); });
  });
  is_set = true;
  is_set.notify_all();
  a.get();
  b.get();
  // Who comes last is told; the other one's wait ends then.
  EXPECT_NE(of_a.empty(), of_b.empty()) << of_a << of_b;
  EXPECT_THAT(of_a + of_b, AnyOf(HasSubstr("task \"a\""), HasSubstr("Task \"a\"")));
}

TEST_P(WaitingInACircle, ThreadsWithViewsCrosswise) {
  meeting_point both_hold;
  const auto crosswise = [&](const buffer<float>& own, const buffer<float>& other) {
    const auto held = own.read();
    both_hold.come();
    const future<void> task = rt_.submit({.label = "fill"}, ops::fill, 2.0f, writes(other));
    return said_by([&] { task.wait(); });
  };
  std::string said;
  std::thread one([&] { said = crosswise(x_, y_); });
  const std::string also_said = crosswise(y_, x_);
  one.join();
  // The last one to wait is told. The first one looks again from time to time, and may find the
  // circle at the same moment.
  EXPECT_FALSE(said.empty() && also_said.empty());
  EXPECT_THAT(said + also_said,
              AllOf(HasSubstr("view of buffer \"x\""), HasSubstr("view of buffer \"y\"")));
}

TEST_P(WaitingInACircle, ATaskOfAScopeByWayOfOneThatWaitsForTheScope) {
  std::string inside;
  std::string outside;
  task_scope scope{rt_, {.label = "mine"}};
  std::atomic<bool> is_set = false;
  future<void> waits;
  auto task = scope.async({.label = "within"}, [&] {
    is_set.wait(false);
    inside = said_by([&] { waits.wait(); });
  });
  waits = rt_.async({.label = "without"}, [&] {
    is_set.wait(false);
    outside = said_by([&] { scope.wait(); });
  });
  is_set = true;
  is_set.notify_all();
  task.get();
  waits.get();
  EXPECT_NE(inside.empty(), outside.empty()) << inside << outside;
}

TEST_P(WaitingInACircle, AnotherThreadSubmitsBehindTheViewMeanwhile) {
  std::string said;
  std::atomic<bool> release = false;
  const future<void> long_one = rt_.async([&] { release.wait(false); });
  std::optional<std::thread> other;
  {
    const auto held = x_.read();
    other.emplace([&] {
      std::this_thread::sleep_for(20ms);
      (void)rt_.submit({.label = "late"}, ops::fill, 2.0f, writes(x_));
    });
    said = said_by([&] { rt_.wait(); });
  }
  release = true;
  release.notify_all();
  other->join();
  EXPECT_THAT(said, AllOf(HasSubstr("\"late\""), HasSubstr("\"x\"")));
  rt_.wait();
}

// Nothing of this is a circle.
TEST_P(WaitingInACircle, IsNotSeenWhereThereIsNone) {
  // A view of another thread.
  std::atomic<bool> is_open = false;
  std::thread other([&] {
    const auto held = x_.read();
    is_open = true;
    std::this_thread::sleep_for(50ms);
  });
  while (!is_open) std::this_thread::sleep_for(1ms);
  const auto own = y_.read();
  EXPECT_THAT(said_by([&] { rt_.submit(ops::fill, 2.0f, writes(x_)).wait(); }), IsEmpty());
  other.join();
  // Functions that wait for functions, for a scope, for a graph.
  const future<int> nested = rt_.async([&] {
    task_scope scope{rt_};
    scope.async([&] { rt_.async([] {}).wait(); });
    scope.wait();
    const graph g = rt_.record([](submitter& s) {
      s.async([] {});
      s.async([] {});
    });
    rt_.run(g).wait();
    return rt_.async([&] { return rt_.async([] { return 3; }).get(); }).get();
  });
  EXPECT_EQ(nested.get(), 3);
  // A view that was handed on, and one that is read beside another.
  const auto also = y_.read();
  EXPECT_EQ(rt_.submit(ops::sum, reads(y_)).get(), 10.0f);
  // Somebody who waits for a time is no obstacle for ever.
  future<void> a;
  std::atomic<bool> is_set = false;
  a = rt_.async([&] {
    is_set.wait(false);
    EXPECT_THAT(said_by([&] { (void)rt_.async([] {}).wait_for(1s); }), IsEmpty());
  });
  is_set = true;
  is_set.notify_all();
  a.get();
}

TEST_P(WaitingInACircle, ARuntimeThatItsOwnTaskDestroys) {
  auto own = std::make_unique<runtime>(runtime_options{.devices = "NUMA0"});
  buffer<float> x{*own, 10, 1.0f, "of its own"};
  std::atomic<bool> other_ran = false;
  const future<void> other = own->async([&] {
    std::this_thread::sleep_for(20ms);
    other_ran = true;
  });
  const future<void> task = own->async([&] { own.reset(); });
  task.get();
  other.get();
  EXPECT_TRUE(other_ran);
}

TEST_P(WaitingInACircle, ARuntimeWhoseLastOwnerIsItsTask) {
  future<int> result;
  {
    const auto own = std::make_shared<runtime>(runtime_options{.devices = "NUMA0"});
    result = own->async([own] {
      std::this_thread::sleep_for(20ms);
      return 5;
    });
  }
  EXPECT_EQ(result.get(), 5);
  // The worker is its last owner, not the thread that waits for it.
  {
    const auto own = std::make_shared<runtime>(runtime_options{.devices = "NUMA0"});
    result = own->async([own] { return 6; });
  }
  ASSERT_TRUE(result.wait_for(20s));
  EXPECT_EQ(result.get(), 6);
}

INSTANTIATE_TEST_SUITE_P(, WaitingInACircle,
                         ::testing::Values(data_path::in_place, data_path::placed),
                         [](const auto& of) {
                           return of.param == data_path::in_place ? "in_place" : "placed";
                         });

}  // namespace
}  // namespace hocket
