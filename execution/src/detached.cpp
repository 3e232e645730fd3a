// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/execution/detached.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>

#include "start_thread.hpp"

namespace hocket {

namespace {

/// The threads that have not ended. Never destroyed: one of them may outlast the process's statics.
struct detached_threads {
  std::mutex guard;
  std::condition_variable fewer;
  std::size_t count = 0;
};

detached_threads& all_detached() {
  static auto& all = *new detached_threads;
  return all;
}

/// At the end of the process: what the threads use may be destroyed next, drivers' statics too.
struct wait_at_exit {
  wait_at_exit() = default;
  wait_at_exit(const wait_at_exit&) = delete;
  wait_at_exit& operator=(const wait_at_exit&) = delete;
  ~wait_at_exit() {
    constexpr std::chrono::seconds longest{5};
    detached_threads& all = all_detached();
    std::unique_lock lock(all.guard);
    all.fewer.wait_for(lock, longest, [&] { return all.count == 0; });
  }
};

}  // namespace

void run_detached(const std::string& name, std::function<void()> work) {
  static const wait_at_exit waits;
  detached_threads& all = all_detached();
  std::unique_lock lock(all.guard);
  start_thread(name, [&all, run = std::move(work)]() mutable {
    run();
    // Before the thread counts as ended: what the work holds goes with it.
    run = nullptr;
    const std::lock_guard ends(all.guard);
    --all.count;
    all.fewer.notify_all();
  }).detach();
  ++all.count;
}

}  // namespace hocket
