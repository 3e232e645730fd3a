// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/execution/pump.hpp>

#include "start_thread.hpp"

namespace hocket {

pump::pump(const std::string& name) : thread_(start_thread(name, [this] { run(); })) {}

pump::~pump() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void pump::post(work w) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(w));
  }
  changed_.notify_one();
}

pump::timer pump::post_at(clock::time_point time, work w) {
  timer added{time};
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    added.number = timers_++;
    const auto [position, inserted] = timed_.emplace(added, std::move(w));
    first = inserted && position == timed_.begin();
  }
  if (first) changed_.notify_one();
  return added;
}

void pump::cancel(const timer& t) {
  // What the work holds is destroyed outside of the lock: it may call this pump.
  decltype(timed_)::node_type dropped;
  const std::lock_guard lock(mutex_);
  dropped = timed_.extract(t);
}

void pump::run() {
  std::unique_lock lock(mutex_);
  work next;
  while (take(lock, next)) {
    lock.unlock();
    next();
    next = nullptr;
    lock.lock();
  }
}

/// Waits for work that is due. Returns false when the pump stops and nothing posted is left.
bool pump::take(std::unique_lock<std::mutex>& lock, work& taken) {
  for (;;) {
    const bool due = !timed_.empty() && timed_.begin()->first.time <= clock::now();
    if (due && !stopping_) {
      taken = std::move(timed_.extract(timed_.begin()).mapped());
      return true;
    }
    if (!posted_.empty()) {
      taken = std::move(posted_.front());
      posted_.pop_front();
      return true;
    }
    if (stopping_) return false;
    if (timed_.empty()) {
      changed_.wait(lock);
    } else {
      // A copy: the timer may be cancelled while this waits.
      const clock::time_point until = timed_.begin()->first.time;
      changed_.wait_until(lock, until);
    }
  }
}

}  // namespace hocket
