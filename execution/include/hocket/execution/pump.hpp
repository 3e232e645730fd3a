// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace hocket {

/// A thread of its own for what must not block a worker: waiting for a driver, and timers. Work
/// runs in the order in which it was posted; it must not throw. An idle pump uses no CPU.
class pump {
 public:
  using work = std::function<void()>;
  using clock = std::chrono::steady_clock;

  /// Names one piece of timed work.
  struct timer {
    clock::time_point time;
    std::uint64_t number = 0;
    friend auto operator<=>(const timer&, const timer&) noexcept = default;
  };

  /// The thread is named after name, cut to 15 characters. Throws error if it cannot be started.
  explicit pump(const std::string& name);
  pump(const pump&) = delete;
  pump& operator=(const pump&) = delete;

  /// Runs what was posted, drops timed work that is not due yet, and joins the thread. Not from
  /// work of this pump.
  ~pump();

  void post(work w);
  timer post_at(clock::time_point time, work w);

  /// Drops timed work, unless it has begun: that is not waited for.
  void cancel(const timer& t);

 private:
  void run();
  [[nodiscard]] bool take(std::unique_lock<std::mutex>& lock, work& taken);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<work> posted_;
  std::map<timer, work> timed_;
  std::uint64_t timers_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace hocket
