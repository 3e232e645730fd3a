// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "stream.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "driver.hpp"

namespace standin {

stream::stream(std::shared_ptr<context> owner, unsigned flags, int urgency)
    : owner_(std::move(owner)), flags_(flags), urgency_(urgency) {}

void stream::start() {
  std::thread([self = shared_from_this()] { self->work(); }).detach();
}

void stream::push(std::function<void()> run, after_failure then) {
  const std::lock_guard lock(mutex_);
  if (captured_) return captured_->push_back(std::move(run));
  queue_.push_back({std::move(run), then});
  ++pushed_;
  changed_.notify_all();
}

bool stream::begin_capture() {
  const std::lock_guard lock(mutex_);
  if (captured_) return false;
  captured_.emplace();
  return true;
}

std::optional<std::vector<std::function<void()>>> stream::end_capture() {
  const std::lock_guard lock(mutex_);
  return std::exchange(captured_, std::nullopt);
}

bool stream::captures() const {
  const std::lock_guard lock(mutex_);
  return captured_.has_value();
}

void stream::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

std::uint64_t stream::pushed() const {
  const std::lock_guard lock(mutex_);
  return pushed_;
}

bool stream::reached(std::uint64_t count) const {
  const std::lock_guard lock(mutex_);
  return ended_ >= count;
}

void stream::wait(std::uint64_t count) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ended_ >= count; });
}

void stream::await_running() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !running_; });
}

void stream::hold(const std::function<bool()>& is_over) {
  std::unique_lock lock(mutex_);
  while (!closed_ && owner_->error == success && !is_over())
    changed_.wait_for(lock, std::chrono::milliseconds(5));
}

void stream::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return closed_ || !queue_.empty(); });
    if (queue_.empty()) return;
    command next = std::move(queue_.front());
    queue_.pop_front();
    running_ = true;
    lock.unlock();
    run(next);
    next.run = nullptr;  // what the command keeps alive ends before the command does
    lock.lock();
    running_ = false;
    ++ended_;
    changed_.notify_all();
  }
}

void stream::run(const command& c) {
  if (owner_->error != success && c.then == after_failure::skip) return;
  try {
    c.run();
  } catch (const failure& e) {
    owner_->fail(e);
  }
}

std::uint64_t event::begin() {
  const std::lock_guard lock(mutex_);
  return ++begun_;
}

void event::reach(std::uint64_t record) {
  const std::lock_guard lock(mutex_);
  reached_ = std::max(reached_, record);
  time_ = clock::now();
  changed_.notify_all();
}

std::uint64_t event::last() const {
  const std::lock_guard lock(mutex_);
  return begun_;
}

bool event::reached(std::uint64_t record) const {
  const std::lock_guard lock(mutex_);
  return reached_ >= record;
}

void event::wait(std::uint64_t record) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return reached_ >= record; });
}

event::clock::time_point event::time() const {
  const std::lock_guard lock(mutex_);
  return time_;
}

}  // namespace standin
