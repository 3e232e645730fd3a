// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/execution/tbb_executor.hpp>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <algorithm>
#include <array>
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

#include "tbb_gate.hpp"

#ifdef __SANITIZE_THREAD__
// Under ThreadSanitizer oneTBB's suspended tasks are threads. It joins them when the last worker
// leaves an arena, which can be after the end of main. Weak: a program may have its own list.
extern "C" [[gnu::weak]] const char* __tsan_default_suppressions() {
  return "thread:tbb::detail::r1::create_coroutine\n";
}
#endif

namespace hocket {
namespace {

/// The item that a thread is in.
struct item_context {
  const void* executor;
  std::size_t arena;
  bool may_suspend;
};

thread_local const item_context* current_context = nullptr;

// Not inlined: an item that was suspended may go on with another thread, and the compiler must not
// keep the address of the first one's variable.
[[gnu::noinline]] const item_context* current() noexcept { return current_context; }
[[gnu::noinline]] void set_current(const item_context* context) noexcept {
  current_context = context;
}

/// The calling thread is in an item, for a time in which it cannot be suspended.
class context_scope {
 public:
  explicit context_scope(const item_context& inner) noexcept : outer_(current()) {
    set_current(&inner);
  }
  context_scope(const context_scope&) = delete;
  context_scope& operator=(const context_scope&) = delete;
  ~context_scope() { set_current(outer_); }

 private:
  const item_context* outer_;
};

/// Keeps the workers of one arena on the cores of its node.
class node_binder final : public tbb::task_scheduler_observer {
 public:
  node_binder(tbb::task_arena& arena, const host_topology& topology, std::size_t node)
      : tbb::task_scheduler_observer(arena), topology_(topology), node_(node) {
    observe(true);
  }
  ~node_binder() override { observe(false); }

  // A worker that is in an item came here for a piece of for_ranges and belongs elsewhere.
  void on_scheduler_entry(bool is_worker) override {
    if (is_worker && current() == nullptr) topology_.bind_current_thread(node_);
  }
  // oneTBB may send the worker to an arena of the user's next.
  void on_scheduler_exit(bool is_worker) override {
    if (is_worker && current() == nullptr) topology_.unbind_current_thread();
  }

 private:
  const host_topology& topology_;
  std::size_t node_;
};

/// The workers of one node, and the items for them. oneTBB's own priorities are not used: they mean
/// something only while arenas compete for too few workers, and then executors starve one another.
class node_arena {
 public:
  using work_item = executor::work_item;

  node_arena(const void* owner, std::size_t node, std::size_t workers)
      : context_{owner, node, true}, arena_(static_cast<int>(workers), 0) {}

  void start(const host_topology& topology) {
    arena_.initialize();
    // With one node there is nothing to choose.
    if (topology.nodes().size() > 1) binder_.emplace(arena_, topology, context_.arena);
  }

  void post(int priority, work_item item) {
    items_[priority > 0 ? 0 : priority == 0 ? 1 : 2].push(std::move(item));
    // Relaxed: nobody posts while the executor ends, so idle() need not see it early.
    unfinished_.fetch_add(1, std::memory_order_relaxed);
    // Should oneTBB have no memory for a turn, the item could neither be run nor taken back.
    [this]() noexcept { arena_.enqueue(turn{this}); }();
  }

  template <class Function>
  void execute(const Function& function) {
    arena_.execute(function);
  }

  /// True if every item has ended and none of them will touch this any more.
  [[nodiscard]] bool idle() const noexcept {
    // Pairs with the release in turn.
    return unfinished_.load(std::memory_order_acquire) == 0;
  }

 private:
  /// What oneTBB runs, once for each item: the most urgent item there is at that time.
  struct turn {
    node_arena* arena;

    void operator()() const noexcept {
      set_current(&arena->context_);
      arena->take()();
      set_current(nullptr);
      // The last access to the arena. Pairs with the acquire in idle().
      arena->unfinished_.fetch_sub(1, std::memory_order_release);
    }
  };

  [[nodiscard]] work_item take() {
    work_item taken;
    // There are at least as many items as turns that look for one. If this one finds none, then
    // they have come to queues that it had looked at before: it looks again.
    for (;;) {
      for (auto& queue : items_) {
        if (queue.try_pop(taken)) return taken;
      }
    }
  }

  item_context context_;
  tbb::task_arena arena_;
  std::optional<node_binder> binder_;
  std::array<tbb::concurrent_queue<work_item>, 3> items_;  // the most urgent first
  alignas(64) std::atomic<std::size_t> unfinished_ = 0;
};

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
    for (std::size_t i = 0; i < topology->nodes().size(); ++i) {
      arenas.push_back(std::make_unique<node_arena>(this, i, topology->nodes()[i].cores));
      arenas.back()->start(*topology);
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
  const item_context* const context = current();
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
  const item_context context{state_.get(), arena, false};
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
  const item_context* const caller = current();
  const bool is_there =
      caller != nullptr && caller->executor == state_.get() && caller->arena == arena;
  if (is_there) run_all();
  else state_->arena(arena).execute(run_all);
}

bool tbb_executor::wait(const std::function<void(std::shared_ptr<gate>)>& arm, time_stamp until) {
  const bool handles_exception =
      std::uncaught_exceptions() != 0 || std::current_exception() != nullptr;
  if (inside() && current()->may_suspend && !handles_exception) return suspend(arm, until);
  const auto parked = std::make_shared<parking_gate>();
  arm(parked);
  if (until != time_stamp::max()) return parked->wait_until(state_->at(until));
  parked->wait();
  return true;
}

bool tbb_executor::suspend(const std::function<void(std::shared_ptr<gate>)>& arm,
                           time_stamp until) {
  const item_context* const context = current();
  const auto suspended = std::make_shared<suspending_gate>();
  arm(suspended);
  if (suspended->opened()) return true;
  std::optional<pump::timer> timer;
  if (until != time_stamp::max()) {
    timer = state_->timers->post_at(state_->at(until), [suspended] { suspended->expire(); });
  }
  set_current(nullptr);
  const auto leave = [raw = suspended.get()](tbb::task::suspend_point p) { raw->left_at(p); };
  tbb::task::suspend(leave);
  set_current(context);
  if (timer) state_->timers->cancel(*timer);
  return suspended->opened();
}

}  // namespace hocket
