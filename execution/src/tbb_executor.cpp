// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/execution/tbb_executor.hpp>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <exception>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <hocket/core/error.hpp>
#include <hocket/execution/pump.hpp>

#include "node_arena.hpp"
#include "tbb_gate.hpp"

namespace hocket {
namespace {

/// The number of threads that oneTBB may use, if nobody asks for less: it only has to be enough.
/// The least of what all executors (and the user) ask for counts, so each asks for oneTBB's own
/// limit, or one that had few workers would take them from the others.
std::size_t most_threads(std::size_t workers) {
  const std::size_t hardware = std::thread::hardware_concurrency();
  return std::max({std::size_t{256}, 4 * hardware, workers + 1});
}

}  // namespace

struct tbb_executor::state {
  explicit state(std::shared_ptr<const host_topology> t) : topology(std::move(t)) {}

  void start() {
    std::size_t workers = 0;
    for (const numa_node& node : topology->nodes()) workers += node.cores;
    parallelism.emplace(tbb::global_control::max_allowed_parallelism, most_threads(workers));
    const std::size_t nodes = topology->nodes().size();
    for (std::size_t i = 0; i < nodes; ++i) {
      arenas.push_back(std::make_unique<node_arena>(this, i, *topology));
    }
    // oneTBB creates the rest when it first runs something.
    arenas[0]->execute([] { tbb::parallel_for(0, 2, [](int) {}); });
    timers.emplace("hocket timers");
  }

  [[nodiscard]] node_arena& arena(std::size_t node) const noexcept {
    assert(node < arenas.size());
    return *arenas[node];
  }

  [[nodiscard]] bool idle() const noexcept {
    return std::ranges::all_of(arenas, [](const auto& arena) { return arena->idle(); });
  }

  /// Only for the end of the executor, where a counter that wakes somebody could be touched by the
  /// last item when it is gone already: so this looks again and again instead.
  void wait_until_idle() const {
    while (!idle()) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }

  [[nodiscard]] pump::clock::time_point at(time_stamp time) const noexcept {
    const auto furthest = pump::clock::time_point::max() - begin;
    return time >= furthest ? pump::clock::time_point::max() : begin + time;
  }

  std::shared_ptr<const host_topology> topology;
  pump::clock::time_point begin = pump::clock::now();
  std::optional<tbb::global_control> parallelism;
  std::vector<std::unique_ptr<node_arena>> arenas;
  std::optional<pump> timers;
};

tbb_executor::tbb_executor(std::shared_ptr<const host_topology> topology)
    : state_(std::make_unique<state>(std::move(topology))) {
  try {
    state_->start();
  } catch (const std::exception& thrown) {
    // A oneTBB that failed while it started may hang in any call, those of destructors too: what
    // there is of it is left where it is.
    (void)state_.release();
    throw error(failure(failure_code::internal,
                        std::string("oneTBB cannot be started (") + thrown.what() + ")."));
  }
}

tbb_executor::~tbb_executor() {
  assert(!inside());
  state_->wait_until_idle();
  state_->timers.reset();
  // A timer may have posted meanwhile.
  state_->wait_until_idle();
}

const host_topology& tbb_executor::topology() const noexcept { return *state_->topology; }

time_stamp tbb_executor::now() const noexcept {
  return std::chrono::duration_cast<time_stamp>(pump::clock::now() - state_->begin);
}

std::size_t tbb_executor::arenas() const noexcept { return state_->arenas.size(); }

std::size_t tbb_executor::workers(std::size_t arena) const noexcept {
  return state_->topology->nodes()[arena].cores;
}

bool tbb_executor::inside() const noexcept {
  const item_context* const context = current_item();
  return context != nullptr && context->executor == state_.get();
}

void tbb_executor::post(std::size_t arena, int priority, work_item item) {
  state_->arena(arena).post(priority, std::move(item));
}

void tbb_executor::post_at(time_stamp time, work_item item) {
  state_->timers->post_at(state_->at(time), [this, item = std::move(item)]() mutable {
    post(0, 1, std::move(item));
  });
}

void tbb_executor::for_ranges(std::size_t arena, std::size_t count, std::size_t grain,
                              const std::function<void(std::size_t, std::size_t)>& piece) {
  assert(grain > 0);
  const std::size_t pieces = count / grain + (count % grain != 0 ? 1 : 0);
  if (pieces <= 1) {
    if (pieces == 1) piece(0, count);
    return;
  }
  const item_context context{state_.get(), arena, nullptr, nullptr};
  const auto run = [&](const tbb::blocked_range<std::size_t>& range) {
    const context_scope scope(context);
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      piece(i * grain, std::min(count, (i + 1) * grain));
    }
  };
  const auto run_all = [&] {
    // A group of its own: if the caller is part of a cancelled one, pieces still must not be lost.
    tbb::task_group_context group(tbb::task_group_context::isolated);
    const tbb::blocked_range<std::size_t> all(0, pieces);
    // Isolated: while the caller waits it must not take up an item that takes long.
    tbb::this_task_arena::isolate(
        [&] { tbb::parallel_for(all, run, tbb::auto_partitioner{}, group); });
  };
  const item_context* const caller = current_item();
  const bool is_there =
      caller != nullptr && caller->executor == state_.get() && caller->arena == arena;
  if (is_there) run_all();
  else state_->arena(arena).execute(run_all);
}

namespace {

bool may_suspend(const item_context& context) {
  const bool handles_exception =
      std::uncaught_exceptions() != 0 || std::current_exception() != nullptr;
  // In another group, oneTBB has frames of its own between the item and here, and they belong to
  // this thread.
  const bool below_onetbb = tbb::task::current_context() != context.group;
  return context.item != nullptr && !handles_exception && !below_onetbb;
}

}  // namespace

bool tbb_executor::wait(const std::function<void(std::shared_ptr<gate>)>& arm, time_stamp until) {
  if (inside() && may_suspend(*current_item())) return suspend(arm, until);
  const auto parked = std::make_shared<parking_gate>();
  arm(parked);
  if (until != time_stamp::max()) return parked->wait_until(state_->at(until));
  parked->wait();
  return true;
}

bool tbb_executor::suspend(const std::function<void(std::shared_ptr<gate>)>& arm,
                           time_stamp until) {
  suspendable_item& item = *current_item()->item;
  const auto suspended =
      std::make_shared<suspending_gate>(state_->arena(current_item()->arena), item);
  arm(suspended);
  if (suspended->opened()) return true;
  std::optional<pump::timer> timer;
  if (until != time_stamp::max()) {
    timer = state_->timers->post_at(state_->at(until), [suspended] { suspended->expire(); });
  }
  suspended->suspend();
  if (timer) state_->timers->cancel(*timer);
  return suspended->opened();
}

}  // namespace hocket
