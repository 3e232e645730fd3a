// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "tasks/live_runtimes.hpp"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include <hocket/scheduler/detail/runtime_context.hpp>

namespace hocket::detail {

namespace {

/// What all runtimes share. It is never destroyed: futures may be used until the process ends.
struct registry {
  std::mutex guard;
  std::vector<runtime_context*> all;
  /// The first ones of all, for threads that look without the lock. Sequentially consistent.
  std::array<std::atomic<const host_context*>, 8> first{};
  std::atomic<bool> has_more{false};

  /// Under the lock, after a change.
  void publish() noexcept {
    for (std::size_t i = 0; i < first.size(); ++i) first[i] = i < all.size() ? all[i] : nullptr;
    has_more = all.size() > first.size();
  }
};

registry* make_registry();

registry& the_registry() {
  static registry* const made = make_registry();
  return *made;
}

/// fork() waits for the lock, so that the child can tell its copies of the runtimes.
registry* make_registry() {
  auto made = std::make_unique<registry>();
  const int no_memory =
      ::pthread_atfork([] { the_registry().guard.lock(); }, [] { the_registry().guard.unlock(); },
                       [] {
                         for (runtime_context* each : the_registry().all) each->forked();
                         the_registry().guard.unlock();
                       });
  if (no_memory != 0) throw std::bad_alloc();
  return made.release();
}

}  // namespace

void live_runtimes::add(runtime_context& made) {
  registry& known = the_registry();
  const std::scoped_lock lock(known.guard);
  known.all.push_back(&made);
  known.publish();
}

void live_runtimes::remove(const runtime_context& gone) noexcept {
  registry& known = the_registry();
  const std::scoped_lock lock(known.guard);
  // The others stay where they are, so that no thread that looks without the lock misses one.
  const auto at = std::find(known.all.begin(), known.all.end(), &gone);
  if (at == known.all.end()) return;
  *at = known.all.back();
  known.publish();
  known.all.pop_back();
  known.publish();
}

bool live_runtimes::contains(const host_context* home) noexcept {
  registry& known = the_registry();
  for (const auto& each : known.first) {
    if (each == home) return true;
  }
  if (!known.has_more) return false;
  const std::scoped_lock lock(known.guard);
  return std::find(known.all.begin(), known.all.end(), home) != known.all.end();
}

live_runtimes::user::user(const host_context* home) noexcept {
  registry& known = the_registry();
  const std::scoped_lock lock(known.guard);
  const auto at = std::find(known.all.begin(), known.all.end(), home);
  if (at == known.all.end()) return;
  used_ = *at;
  used_->use_begins();
}

live_runtimes::user::~user() {
  if (used_ != nullptr) used_->use_ends();
}

}  // namespace hocket::detail
