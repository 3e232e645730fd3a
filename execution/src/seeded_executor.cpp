// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/execution/seeded_executor.hpp>

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cassert>
#include <string>
#include <tuple>
#include <utility>

#include <hocket/core/error.hpp>
#include <hocket/core/saturating.hpp>
#include <hocket/execution/wait_listener.hpp>

#include "carried_state.hpp"

namespace hocket {
namespace {

/// Counts a call on the stack, whichever way it ends.
class depth_scope {
 public:
  explicit depth_scope(std::size_t& depth) noexcept : depth_(depth) { ++depth_; }
  depth_scope(const depth_scope&) = delete;
  depth_scope& operator=(const depth_scope&) = delete;
  ~depth_scope() { --depth_; }

 private:
  std::size_t& depth_;
};

/// Runs when it goes, if it has not before.
struct owned_item {
  executor::bare_item item;

  owned_item() = default;
  owned_item(const owned_item&) = delete;
  owned_item& operator=(const owned_item&) = delete;
  ~owned_item() { run(); }

  void run() {
    const executor::bare_item own = std::exchange(item, {});
    if (own.run != nullptr) own.run(own.what);
  }
};

}  // namespace

class seeded_executor::virtual_gate final : public executor::gate {
 public:
  void open() noexcept override { opened_ = true; }
  [[nodiscard]] bool opened() const noexcept { return opened_; }

 private:
  bool opened_ = false;
};

seeded_executor::seeded_executor(seeded_executor_options options)
    : options_(std::move(options)), ties_(options_.seed, 1), delays_(options_.seed, 2) {
  if (options_.workers.empty()) {
    throw usage_error("A seeded executor needs at least one arena, and got 0.");
  }
}

bool seeded_executor::is_later(const event& a, const event& b) noexcept {
  return std::tie(a.time, a.tie) > std::tie(b.time, b.tie);
}

void seeded_executor::require_own_thread(const char* what) const {
  if (std::this_thread::get_id() == thread_) return;
  throw usage_error(std::string("The seeded executor belongs to the thread that made it, and ") +
                    what + " was called from another one.");
}

void seeded_executor::check_submitter() const {
  if (std::this_thread::get_id() == thread_) return;
  throw usage_error(
      "A runtime on the virtual clock belongs to the thread that made it, and another "
      "one uses it; only that thread may submit tasks, open views and wait.");
}

void seeded_executor::add(time_stamp time, work_item item) {
  const bool late = delays_.chance(options_.delay_probability);
  if (late && options_.longest_delay > nanoseconds::zero()) {
    const auto most = static_cast<std::uint64_t>(options_.longest_delay.count());
    const auto delay = static_cast<std::int64_t>(1 + delays_.below(most));
    time = time_stamp(saturating_add(time.count(), delay));
  }
  events_.push_back({time, ties_.next(), std::move(item)});
  std::ranges::push_heap(events_, is_later);
}

void seeded_executor::post(std::size_t arena, int /*priority*/, work_item item) {
  require_own_thread("post");
  assert(arena < arenas());
  (void)arena;
  add(now_, std::move(item));
}

void seeded_executor::post_bare(std::size_t arena, int priority, bare_item item,
                                worker_record* /*poster*/) {
  const auto own = std::make_shared<owned_item>();
  post(arena, priority, [own] { own->run(); });
  own->item = item;
}

void seeded_executor::post_at(time_stamp time, work_item item) {
  require_own_thread("post_at");
  add(std::max(time, now_), std::move(item));
}

void seeded_executor::for_ranges(std::size_t /*arena*/, std::size_t count, std::size_t grain,
                                 const std::function<void(std::size_t, std::size_t)>& piece) {
  require_own_thread("for_ranges");
  assert(grain > 0);
  const std::size_t pieces = count / grain + (count % grain != 0 ? 1 : 0);
  const auto run = [&](std::size_t i) {
    piece(i * grain, i + 1 == pieces ? count : (i + 1) * grain);
  };
  if (options_.parallel_ranges) {
    tbb::parallel_for(std::size_t{0}, pieces, run);
  } else {
    for (std::size_t i = 0; i != pieces; ++i) run(i);
  }
}

bool seeded_executor::step() {
  require_own_thread("step");
  if (events_.empty()) return false;
  std::ranges::pop_heap(events_, is_later);
  event next = std::move(events_.back());
  events_.pop_back();
  // Not before now: a nested wait with a limit may have let time pass further than this event's.
  now_ = std::max(now_, next.time);
  const depth_scope scope(depth_);
  next.item();
  return true;
}

std::size_t seeded_executor::run_until_idle() {
  std::size_t ran = 0;
  while (step()) ++ran;
  return ran;
}

bool seeded_executor::wait(const std::function<void(std::shared_ptr<gate>)>& arm,
                           time_stamp until) {
  require_own_thread("wait");
  const auto own = std::make_shared<virtual_gate>();
  arm(own);
  struct listed {
    std::vector<const virtual_gate*>& waits;
    ~listed() { waits.pop_back(); }
  };
  waits_.push_back(own.get());
  const listed scope{waits_};
  if (own->opened()) return true;
  tell_wait_listeners();
  // What runs meanwhile has nothing to do with what the caller is at.
  const carried_state outer = carried_state::take();
  const bool ended = run_until(*own, until);
  outer.put_back();
  if (!ended) refuse_to_wait();
  return own->opened();
}

/// Returns false if nothing is left to run that could end the wait.
bool seeded_executor::run_until(const virtual_gate& opened, time_stamp until) {
  while (!opened.opened()) {
    if (events_.empty() && until == time_stamp::max()) return false;
    if (events_.empty() || events_.front().time > until) {
      now_ = std::max(now_, until);
      return true;
    }
    (void)step();
  }
  return true;
}

void seeded_executor::refuse_to_wait() const {
  const bool outer_ended = std::any_of(waits_.begin(), waits_.end() - 1,
                                       [](const virtual_gate* outer) { return outer->opened(); });
  if (outer_ended) {
    throw usage_error(
        "Nothing is left to run that could end this wait but what follows a wait around it, and "
        "the seeded executor ends nested waits from the inside out.");
  }
  throw usage_error("Nothing is left to run that could end this wait: it would last for ever (" +
                    std::to_string(waits_.size() - 1) + " more waits are around it).");
}

}  // namespace hocket
