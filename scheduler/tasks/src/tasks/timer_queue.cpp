// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "tasks/timer_queue.hpp"

namespace hocket::detail {

timer_queue::~timer_queue() {
  set_.clear_and_dispose([](timer* left) { intrusive_ptr_release(left); });
}

void timer_queue::set(const timer_ptr& what, time_stamp time) {
  const std::lock_guard lock(guard_);
  if (what->called_off_) return;
  what->time_ = time;
  set_.insert(*what);
  intrusive_ptr_add_ref(what.get());
  ask_for_a_call();
}

void timer_queue::call_off(timer& what) noexcept {
  timer_ptr dropped;
  const std::lock_guard lock(guard_);
  what.called_off_ = true;
  if (!what.is_linked()) return;
  set_.erase(set_.iterator_to(what));
  dropped.reset(&what, false);
}

void timer_queue::ask_for_a_call() {
  const time_stamp first = set_.begin()->time_;
  if (!calls_.empty() && *calls_.begin() <= first) return;
  calls_.insert(first);
  where_.call_at(first, [this] { expire_due(); });
}

void timer_queue::expire_due() noexcept {
  const time_stamp now = where_.now();
  std::unique_lock lock(guard_);
  calls_.erase(calls_.begin(), calls_.upper_bound(now));
  while (!set_.empty() && set_.begin()->time_ <= now) {
    const timer_ptr due(&*set_.begin(), false);
    set_.erase(set_.begin());
    lock.unlock();
    due->ring();
    lock.lock();
  }
  if (!set_.empty()) ask_for_a_call();
}

}  // namespace hocket::detail
