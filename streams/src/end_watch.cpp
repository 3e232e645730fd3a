// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/streams/end_watch.hpp>

#include <chrono>
#include <utility>

namespace hocket {

namespace {

// Several round trips to a driver long, and short beside what anybody notices who does not wait.
constexpr std::chrono::microseconds patience{100};

}  // namespace

end_watch::end_watch(const std::string& name, std::function<std::size_t()> next)
    : next_(std::move(next)), own_(name) {}

void end_watch::added(std::size_t count) {
  const std::lock_guard lock(guard_);
  left_ += count;
  if (!polled_ && !defers_) call_own_thread();
}

void end_watch::poll(const std::function<bool()>& reached) {
  std::unique_lock lock(guard_);
  if (polled_ || left_ == 0) return;
  serve(lock, reached);
  if (left_ > 0) return call_own_thread();
  defers_ = true;
  if (!looking_) look_later();
}

void end_watch::stop_polling() noexcept {
  const std::lock_guard lock(guard_);
  defers_ = false;
  if (left_ > 0 && !polled_) call_own_thread();
}

void end_watch::serve(std::unique_lock<std::mutex>& lock, const std::function<bool()>& reached) {
  polled_ = true;
  while (left_ > 0) {
    lock.unlock();
    const bool enough = reached();
    const std::size_t ended = enough ? 0 : next_();
    lock.lock();
    if (enough) break;
    left_ -= ended;
    ended_ += ended;
  }
  polled_ = false;
}

/// Under the lock.
void end_watch::call_own_thread() {
  if (std::exchange(called_, true)) return;
  own_.post([this] {
    std::unique_lock lock(guard_);
    called_ = false;
    if (!polled_) serve(lock, [] { return false; });
  });
}

/// Under the lock.
void end_watch::look_later() {
  looking_ = true;
  ended_before_ = ended_;
  own_.post_at(pump::clock::now() + patience, [this] { look_after(); });
}

void end_watch::look_after() {
  std::unique_lock lock(guard_);
  looking_ = false;
  if (!defers_) return;
  if (ended_ != ended_before_) return look_later();
  // Nobody came, or nothing was there to come for.
  defers_ = false;
  if (!polled_) serve(lock, [] { return false; });
}

}  // namespace hocket
