// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <string>
#include <thread>
#include <vector>

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

/// What is written to standard error, from now on and at any moment.
class errors_written {
 public:
  errors_written() : file_(std::tmpfile()), before_(dup(2)) { dup2(fileno(file_), 2); }
  errors_written(const errors_written&) = delete;
  errors_written& operator=(const errors_written&) = delete;
  ~errors_written() {
    dup2(before_, 2);
    close(before_);
    std::fclose(file_);
  }
  [[nodiscard]] std::string so_far() const {
    std::string text(1 << 16, '\0');
    const ssize_t bytes = pread(fileno(file_), text.data(), text.size(), 0);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
    return text;
  }
  void wait_for(const std::string& words) const {
    while (so_far().find(words) == std::string::npos) std::this_thread::sleep_for(5ms);
  }

 private:
  std::FILE* file_;
  int before_;
};

[[nodiscard]] const pending_task* find(const pending_report& report, const std::string& label) {
  const auto at = std::ranges::find(report.tasks, label, &pending_task::label);
  return at == report.tasks.end() ? nullptr : &*at;
}

/// Keeps what waits for it from going on, until it goes.
class barrier {
 public:
  ~barrier() { open(); }
  void open() {
    if (!std::exchange(is_open_, true)) promise_.set_value();
  }
  void wait() const { opened_.wait(); }

 private:
  std::promise<void> promise_;
  std::shared_future<void> opened_ = promise_.get_future().share();
  bool is_open_ = false;
};

class Pending : public ::testing::TestWithParam<data_path> {
 protected:
  [[nodiscard]] static runtime_options options() {
    return {.devices = "NUMA0", .data_tasks = GetParam()};
  }
  guard_thread guard_;
};

TEST_P(Pending, IsPrintedOnceWhenNothingEnds) {
  const errors_written errors;
  runtime_options watched = options();
  watched.watchdog = 40ms;
  barrier held;
  std::atomic<bool> runs = false;
  runtime rt{watched};
  buffer<float> x{rt, 10, 1.0f, "x"};
  (void)rt.submit(
      {.label = "first"},
      [&](buffer_view<float>) {
        runs = true;
        held.wait();
      },
      updates(x));
  (void)rt.submit({.label = "second"}, ops::fill, 2.0f, writes(x));
  errors.wait_for("\"second\" waits for task \"first\"");
  EXPECT_THAT(errors.so_far(), AllOf(HasSubstr("\"first\" runs"), HasSubstr("no task has ended")));
  const auto count_lines = [&] {
    const std::string text = errors.so_far();
    return std::count(text.begin(), text.end(), '\n');
  };
  const auto before = count_lines();
  std::this_thread::sleep_for(200ms);
  EXPECT_EQ(count_lines(), before);
  // It says so again when the list is another one.
  (void)rt.submit({.label = "third"}, ops::fill, 3.0f, writes(x));
  errors.wait_for("\"third\"");
  held.open();
  rt.wait();
  EXPECT_EQ(x.to_vector().front(), 3.0f);
  EXPECT_EQ(rt.pending().unfinished, 0U);
}

TEST_P(Pending, IsPrintedWhereAllWorkersAreBlocked) {
  const errors_written errors;
  runtime_options watched = options();
  watched.watchdog = 40ms;
  barrier held;
  runtime rt{watched};
  for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency(); ++i) {
    (void)rt.async({.label = "stands still"}, [&] { held.wait(); });
  }
  errors.wait_for("\"stands still\" runs");
  errors.wait_for("\"stands still\" is ready");
  held.open();
  rt.wait();
}

TEST_P(Pending, IsListedCompletelyWithAWatchdog) {
  runtime_options watched = options();
  watched.watchdog = 1h;
  barrier held;
  std::atomic<int> running = 0;
  runtime rt{watched};
  buffer<float> x{rt, 10, 1.0f, "x"};
  rt.wait();
  const auto keeps = [&] {
    ++running;
    held.wait();
  };
  const future<void> a = rt.async({.label = "a"}, keeps);
  const future<void> b = rt.async({.label = "b", .after = {a}}, [] {});
  task_scope scope{rt, {.label = "batch"}};
  (void)scope.async({.label = "of the scope", .after = {b}}, [] {});
  const graph g = rt.record([](submitter& s) {
    s.async([] {});
    s.async([] {});
  });
  (void)rt.run({.label = "step", .after = {b}}, g);
  const budget bytes{rt, 64};
  const future<void> taker = rt.submit({.label = "taker", .after = {a}, .takes = bytes.share(64)},
                                       ops::fill, 1.0f, writes(x));
  while (running < 1) std::this_thread::sleep_for(1ms);

  const pending_report report = rt.pending();
  EXPECT_TRUE(report.is_complete);
  EXPECT_GE(report.tasks.size(), 5U);
  const pending_task* const found = find(report, "b");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->state, pending_state::waiting);
  EXPECT_EQ(found->waits_for, std::vector<std::string>{"task \"a\""});
  EXPECT_TRUE(found->since.has_value());
  ASSERT_NE(find(report, "a"), nullptr);
  EXPECT_EQ(find(report, "a")->state, pending_state::running);
  EXPECT_EQ(find(report, "of the scope")->waits_for, std::vector<std::string>{"task \"b\""});
  ASSERT_NE(find(report, "step"), nullptr);
  EXPECT_EQ(find(report, "step")->state, pending_state::waiting);
  ASSERT_NE(find(report, "taker"), nullptr);
  EXPECT_EQ(find(report, "taker")->waits_for, std::vector<std::string>{"task \"a\""});
  held.open();
  scope.wait();
  rt.wait();
}

TEST_P(Pending, HasWhatWaitsWithoutAWatchdog) {
  std::atomic<bool> runs = false;
  barrier held;
  runtime rt{options()};
  buffer<float> x{rt, 10, 1.0f, "x"};
  rt.wait();
  const future<void> awaited = rt.async({.label = "awaited"}, [&] {
    runs = true;
    held.wait();
  });
  // Who waits would run it.
  while (!runs) std::this_thread::sleep_for(1ms);
  const future<void> waits = rt.async({.label = "waits"}, [&] { awaited.wait(); });
  std::thread outside([&] {
    const auto seen = x.read();
    (void)rt.submit({.label = "behind the view"}, ops::fill, 2.0f, writes(x));
    awaited.wait();
  });
  const auto is_there = [&](const pending_report& report) {
    const pending_task* const waiter = find(report, "waits");
    return waiter != nullptr && !waiter->waits_for.empty() && !report.awaited_outside.empty() &&
           find(report, "behind the view") != nullptr;
  };
  pending_report report = rt.pending();
  while (!is_there(report)) {
    std::this_thread::sleep_for(1ms);
    report = rt.pending();
  }
  EXPECT_FALSE(report.is_complete);
  EXPECT_EQ(find(report, "waits")->waits_for, std::vector<std::string>{"task \"awaited\""});
  EXPECT_THAT(report.awaited_outside, ::testing::Contains("task \"awaited\""));
  EXPECT_THAT(find(report, "behind the view")->waits_for,
              ::testing::Contains(HasSubstr("view of")));
  ASSERT_NE(find(report, "view of x"), nullptr);
  EXPECT_THAT(to_string(report), HasSubstr("\"waits\" runs, and waits for task \"awaited\""));
  held.open();
  outside.join();
  rt.wait();
}

TEST_P(Pending, IsListedWhileTasksAreSubmitted) {
  runtime_options watched = options();
  watched.watchdog = 1h;
  std::atomic<bool> all_submitted = false;
  barrier held;
  int sum = 0;
  runtime rt{watched};
  buffer<float> x{rt, 10, 1.0f, "x"};
  std::thread looks([&] {
    while (!all_submitted) {
      std::this_thread::sleep_for(100us);
      for (const pending_task& task : rt.pending().tasks) {
        EXPECT_THAT(task.label, AnyOf("first", "adds", "both", "fill"));
        for (const std::string& other : task.waits_for) EXPECT_THAT(other, HasSubstr("task \""));
      }
    }
  });
  future<void> last = rt.submit(
      {.label = "first"}, [&](buffer_view<float>) { held.wait(); }, updates(x));
  for (int i = 0; i < 300; ++i) {
    const future<void> other = rt.submit({.label = "fill"}, ops::fill, 1.0f, writes(x));
    last = rt.async({.label = "adds", .after = {last}}, [&] { ++sum; });
    (void)rt.async({.label = "both", .after = {last, other}}, [] {});
  }
  all_submitted = true;
  looks.join();
  held.open();
  rt.wait();
  EXPECT_EQ(sum, 300);
}

TEST_P(Pending, HasWhatALimitCounts) {
  runtime_options limited = options();
  limited.max_pending = 4;
  runtime rt{limited};
  barrier held;
  (void)rt.async({.label = "first"}, [&] { held.wait(); });
  const pending_report report = rt.pending();
  EXPECT_TRUE(report.is_complete);
  EXPECT_NE(find(report, "first"), nullptr);
  held.open();
  rt.wait();
}

INSTANTIATE_TEST_SUITE_P(, Pending, ::testing::Values(data_path::in_place, data_path::placed),
                         [](const auto& of) {
                           return of.param == data_path::in_place ? "in_place" : "placed";
                         });

TEST(WatchdogOptions, AreRefusedWhereTheyAreNoTime) {
  setenv("HOCKET_WATCHDOG", "soon", 1);
  EXPECT_THAT(refusal([] { const runtime rt; }),
              AllOf(HasSubstr("HOCKET_WATCHDOG"), HasSubstr("soon"), HasSubstr("10s")));
  setenv("HOCKET_WATCHDOG", "2m", 1);
  {
    runtime rt;
    EXPECT_TRUE(rt.pending().is_complete);
  }
  unsetenv("HOCKET_WATCHDOG");
  EXPECT_THAT(refusal([] { const runtime rt{{.watchdog = -1s}}; }),
              HasSubstr("runtime_options::watchdog"));
}

}  // namespace
}  // namespace hocket
