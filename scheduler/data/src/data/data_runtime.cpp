// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/data_runtime.hpp"

#include <utility>

namespace hocket::detail {

namespace {

std::uint64_t next_runtime_number() noexcept {
  static std::atomic<std::uint64_t> made{0};
  return made.fetch_add(1) + 1;
}

// How often a stack that holds a view looks whether a task came to stand behind it.
constexpr nanoseconds time_between_checks = std::chrono::milliseconds(50);
// After this time a count that a thread has written is known to all other threads.
constexpr nanoseconds time_to_be_known = std::chrono::milliseconds(1);

/// While this lives, a thread waits for the end of all tasks.
class awaited_count {
 public:
  explicit awaited_count(task_count& of) noexcept : of_(of) { of_.begin_wait(); }
  awaited_count(const awaited_count&) = delete;
  awaited_count& operator=(const awaited_count&) = delete;
  ~awaited_count() { of_.end_wait(); }

 private:
  task_count& of_;
};

}  // namespace

data_runtime::data_runtime() noexcept : number_(next_runtime_number()) { counts_ = &own_counts_; }

bool data_runtime::detach(const held_view& view) {
  if (!views().detached(view)) return false;
  {
    const std::lock_guard lock(guard_of_detached_);
    ++detached_;
  }
  // The end of the runtime sees the count above when it no longer waits for this one.
  submission_gone();
  return true;
}

void data_runtime::close_detached(const held_view& view) noexcept {
  submission_made();  // which the end of the view takes back
  views().closed(view);
  std::shared_ptr<data_runtime> ends;
  {
    const std::lock_guard lock(guard_of_detached_);
    if (--detached_ == 0) ends = std::move(kept_);
  }
  if (ends != nullptr) end_later(std::move(ends));
}

bool data_runtime::is_kept_by_views() {
  const std::lock_guard lock(guard_of_detached_);
  if (detached_ != 0) kept_ = shared_from_this();
  return detached_ != 0;
}

bool data_runtime::has_detached_views() {
  const std::lock_guard lock(guard_of_detached_);
  return detached_ != 0;
}

void data_runtime::wait_until(const std::function<bool()>& reached,
                              const std::function<void()>& check) {
  executor& executing = where();
  // On the virtual clock time would pass.
  const bool checks = check != nullptr && !executing.is_virtual();
  const awaited_count awaits(own_counts_);
  // A worker that counted its end just before may not have seen that, and may be kept from looking
  // again by what it does next: so this looks once more when what it counted is surely known.
  bool looks_again = executing.pool() != nullptr;
  while (!ends_.holds(reached)) {
    std::shared_ptr<executor::gate> own;
    const auto arm = [&](const std::shared_ptr<executor::gate>& gate) {
      own = gate;
      ends_.await(gate, reached);
    };
    time_stamp until = time_stamp::max();
    if (checks) until = executing.now() + time_between_checks;
    if (looks_again) until = executing.now() + time_to_be_known;
    if (executing.wait(arm, until)) continue;
    ends_.leave(own);
    if (!std::exchange(looks_again, false) && checks) check();
  }
}

}  // namespace hocket::detail
