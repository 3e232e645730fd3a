// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace hocket::testing {

/// Ends the program if the test that has this hangs: some minutes earlier than the time-out of all
/// tests, and with the name of the one.
class guard_thread {
 public:
  guard_thread() : thread_([this] { watch(); }) {}
  guard_thread(const guard_thread&) = delete;
  guard_thread& operator=(const guard_thread&) = delete;
  ~guard_thread() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

 private:
  void watch() {
    constexpr std::chrono::seconds longest{60};
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, longest, [this] { return over_; })) return;
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    std::fprintf(stderr, "%s.%s hangs.\n", test == nullptr ? "" : test->test_suite_name(),
                 test == nullptr ? "A test" : test->name());
    std::abort();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace hocket::testing
