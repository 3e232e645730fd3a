// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/execution/tbb_executor.hpp>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <sys/types.h>
#include <unistd.h>

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
#include <hocket/execution/pause_processor.hpp>
#include <hocket/execution/pump.hpp>
#include <hocket/execution/wait_listener.hpp>

#include "cycle_counter.hpp"
#include "node_queue.hpp"
#include "process_mark.hpp"
#include "range_job.hpp"
#include "tbb_gate.hpp"

namespace hocket {
namespace {

/// Frees workers that leave the arena from the node that they were bound to, and knows whether
/// there are any.
class leaving_observer final : public tbb::task_scheduler_observer {
 public:
  leaving_observer(tbb::task_arena& arena, const host_topology& topology)
      : tbb::task_scheduler_observer(arena), topology_(topology) {
    observe(true);
  }
  ~leaving_observer() override { observe(false); }

  void on_scheduler_entry(bool is_worker) override {
    if (is_worker) inside_.fetch_add(1);
  }
  void on_scheduler_exit(bool is_worker) override {
    if (!is_worker) return;
    unbind_worker(topology_);
    inside_.fetch_sub(1);
  }

  [[nodiscard]] bool empty() const noexcept { return inside_.load() == 0; }

 private:
  std::atomic<int> inside_{0};
  const host_topology& topology_;
};

std::size_t all_cores(const host_topology& topology) {
  std::size_t cores = 0;
  for (const numa_node& node : topology.nodes()) cores += node.cores;
  return cores;
}

/// The number of threads that oneTBB may use, if nobody asks for less: it only has to be enough.
/// The least of what all executors (and the user) ask for counts, so each asks for oneTBB's own
/// limit, or one that had few workers would take them from the others.
std::size_t max_threads(std::size_t workers) {
  const std::size_t hardware = std::thread::hardware_concurrency();
  return std::max({std::size_t{256}, 4 * hardware, workers + 1});
}

/// Throws usage_error in a child process if oneTBB was started before the fork.
void check_process() {
  // Of the process, as oneTBB is: the process in which an executor was made first.
  static std::atomic<pid_t> first{0};
  const pid_t here = ::getpid();
  pid_t there = 0;
  if (first.compare_exchange_strong(there, here) || there == here) return;
  throw usage_error("A runtime cannot be made in process " + std::to_string(here) +
                    ", which was forked after process " + std::to_string(there) +
                    " had made one: the threads of oneTBB were not forked. Fork before the first "
                    "runtime is made, or call exec in the child.");
}

}  // namespace

struct tbb_executor::state {
  state(std::shared_ptr<const host_topology> t, std::function<void()> look)
      : topology(std::move(t)),
        workers(static_cast<int>(all_cores(*topology)), 0),
        out_of_items(std::move(look)) {}

  void start() {
    const std::size_t cores = all_cores(*topology);
    parallelism.emplace(tbb::global_control::max_allowed_parallelism, max_threads(cores));
    workers.initialize();
    observer.emplace(workers, *topology);
    for (std::size_t i = 0; i < topology->nodes().size(); ++i) {
      queues.push_back(
          std::make_unique<node_queue>(this, i, *topology, workers, slots(), out_of_items));
    }
    timers.emplace("hocket timers");
  }

  /// oneTBB's arena has two slots even for one worker.
  [[nodiscard]] std::size_t slots() const { return all_cores(*topology) + 1; }

  [[nodiscard]] node_queue& queue(std::size_t node) const noexcept {
    assert(node < queues.size());
    return *queues[node];
  }

  [[nodiscard]] bool idle() const noexcept {
    return std::ranges::all_of(queues, [](const auto& queue) { return queue->idle(); });
  }

  /// Only for the end of the executor, where a counter that wakes somebody could be touched by the
  /// last item when it is gone already: so this looks again and again instead.
  void wait_until_idle() const {
    while (!idle()) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }

  /// oneTBB keeps what it has about an observer until the last worker has left, and a process that
  /// ended before would seem to leak it.
  void wait_until_left() const {
    while (!observer->empty()) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }

  [[nodiscard]] pump::clock::time_point at(time_stamp time) const noexcept {
    const auto furthest = pump::clock::time_point::max() - begin;
    return time >= furthest ? pump::clock::time_point::max() : begin + time;
  }

  const pid_t process = ::getpid();
  const std::uint64_t mark = process_mark();
  std::shared_ptr<const host_topology> topology;
  pump::clock::time_point begin = pump::clock::now();
  cycle_counter counter{begin};
  std::optional<tbb::global_control> parallelism;
  tbb::task_arena workers;
  std::optional<leaving_observer> observer;
  const std::function<void()> out_of_items;
  std::vector<std::unique_ptr<node_queue>> queues;
  std::optional<pump> timers;
};

tbb_executor::tbb_executor(std::shared_ptr<const host_topology> topology,
                           std::function<void()> out_of_items) {
  check_process();
  state_ = std::make_unique<state>(std::move(topology), std::move(out_of_items));
  try {
    state_->start();
    // oneTBB creates its threads when it first runs something. Not in a post(), which must not
    // throw once the item is there.
    wait([this](const std::shared_ptr<gate>& g) { state_->workers.enqueue([g] { g->open(); }); });
  } catch (const error&) {
    // Of a thread of Hocket's own, which the message names.
    (void)state_.release();
    throw;
  } catch (const std::exception& thrown) {
    // A oneTBB that failed while it started may hang in any call, those of destructors too: what
    // there is of it is left where it is.
    (void)state_.release();
    throw error(failure(failure_code::internal,
                        std::string("oneTBB cannot be started (") + thrown.what() + ")."));
  }
}

tbb_executor::~tbb_executor() {
  if (is_forked()) {
    // There are no threads that could be awaited or joined.
    (void)state_.release();
    return;
  }
  assert(!inside());
  state_->wait_until_idle();
  state_->timers.reset();
  // A timer may have posted meanwhile.
  state_->wait_until_idle();
  state_->wait_until_left();
}

const host_topology& tbb_executor::topology() const noexcept { return *state_->topology; }

time_stamp tbb_executor::now() const noexcept {
  return std::chrono::duration_cast<time_stamp>(pump::clock::now() - state_->begin);
}

std::int64_t tbb_executor::ticks() const noexcept {
  return state_->counter.usable() ? state_->counter.read() : now().count();
}

tick_scale tbb_executor::scale_of_ticks() const noexcept {
  return state_->counter.usable() ? state_->counter.scale() : tick_scale{};
}

std::size_t tbb_executor::arenas() const noexcept { return state_->queues.size(); }

std::size_t tbb_executor::workers(std::size_t arena) const noexcept {
  return state_->topology->nodes()[arena].cores;
}

bool tbb_executor::others_work() const noexcept {
  std::size_t all = 0;
  for (const auto& queue : state_->queues) all += queue->at_work();
  return all > (inside() ? 1 : 0) ||
         std::ranges::any_of(state_->queues, [](const auto& queue) { return queue->items_wait(); });
}

bool tbb_executor::inside() const noexcept {
  const item_context* const context = current_item();
  return context != nullptr && context->owner == state_.get();
}

bool tbb_executor::is_forked() const noexcept { return state_->mark != process_mark(); }

const void* tbb_executor::pool() const noexcept { return state_.get(); }

std::vector<worker_record*> tbb_executor::records() const {
  std::vector<worker_record*> all;
  for (const auto& queue : state_->queues) {
    for (worker_place& each : queue->places()) all.push_back(&each);
  }
  return all;
}

namespace {

node_queue::level level_of(int priority) noexcept {
  using level = node_queue::level;
  return priority > 0 ? level::high : (priority == 0 ? level::normal : level::low);
}

}  // namespace

void tbb_executor::post(std::size_t arena, int priority, work_item item) {
  state_->queue(arena).post(level_of(priority), std::move(item));
}

void tbb_executor::post_bare(std::size_t arena, int priority, bare_item item,
                             worker_record* poster) {
  node_queue& queue = state_->queue(arena);
  if (priority == 0) return queue.post_normal(item, poster);
  queue.post(level_of(priority), item);
}

bool tbb_executor::take_back(std::size_t arena, const void* what) noexcept {
  return state_->queue(arena).take_back(what);
}

void tbb_executor::post_at(time_stamp time, work_item item) {
  state_->timers->post_at(
      state_->at(time), [this, item = std::move(item)]() mutable { post(0, 1, std::move(item)); });
}

void tbb_executor::call_at(time_stamp time, work_item item) {
  state_->timers->post_at(state_->at(time), std::move(item));
}

void tbb_executor::for_ranges(std::size_t arena, std::size_t count, std::size_t grain,
                              const std::function<void(std::size_t, std::size_t)>& piece) {
  assert(grain > 0);
  if (count <= grain) {
    if (count != 0) piece(0, count);
    return;
  }
  node_queue& queue = state_->queue(arena);
  const auto job = std::make_shared<range_job>(count, grain, piece);
  const item_context* const caller = current_item();
  const bool is_worker = caller != nullptr && caller->queue == &queue;
  const std::size_t others = workers(arena) - (is_worker ? 1 : 0);
  for (std::size_t i = std::min(others, job->pieces() - 1); i != 0; --i) {
    queue.post(node_queue::level::helper, [job] { job->help(); });
  }
  if (is_worker) {
    job->help();
  } else {
    // The calling thread counts as a worker of the arena while it helps; it cannot be suspended.
    const item_context context{.owner = state_.get(), .arena = arena, .queue = &queue};
    const context_scope scope(context);
    job->help();
  }
  job->wait(*this);
}

namespace {

bool may_suspend(const item_context& context) {
  // In another group, oneTBB has frames of its own between the item and here, and they belong to
  // this thread.
  const bool below_onetbb = tbb::task::current_context() != context.group;
  return context.item != nullptr && !below_onetbb;
}

/// While it lives, a worker stands still in an item that lacks a stack; nothing for other threads.
class parked_worker {
 public:
  explicit parked_worker(const item_context* context)
      : queue_(context != nullptr && context->lacks_stack ? context->queue : nullptr) {
    if (queue_ == nullptr || queue_->park()) return;
    throw error(failure(
        failure_code::out_of_memory,
        "A task cannot wait: there is no memory for a stack to keep it on, beside those of " +
            std::to_string(queue_->suspended()) +
            " tasks that wait, and every other worker of its node stands still already."));
  }
  parked_worker(const parked_worker&) = delete;
  parked_worker& operator=(const parked_worker&) = delete;
  ~parked_worker() {
    if (queue_ != nullptr) queue_->unpark();
  }

 private:
  node_queue* queue_;
};

}  // namespace

bool tbb_executor::wait(const std::function<void(std::shared_ptr<gate>)>& arm, time_stamp until) {
  if (is_forked()) {
    throw usage_error("A task of a runtime of process " + std::to_string(state_->process) +
                      " is awaited in process " + std::to_string(::getpid()) +
                      ", which was forked from it: the runtime's threads were not forked, so that "
                      "nothing runs here.");
  }
  // An item of another executor is suspended as well: by that one.
  const item_context* const context = current_item();
  if (context != nullptr && may_suspend(*context)) return suspend(arm, until);
  const parked_worker still(context);
  const auto parked = std::make_shared<parking_gate>();
  arm(parked);
  tell_wait_listeners();
  if (until != time_stamp::max()) return parked->wait_until(state_->at(until));
  parked->wait();
  return true;
}

bool tbb_executor::look_until(const std::function<bool()>& reached) {
  return reached() || (current_item() == nullptr && look_until(reached, nullptr));
}

bool tbb_executor::help_until(const std::function<bool()>& reached) {
  if (reached()) return true;
  if (current_item() != nullptr || is_forked()) return false;
  tell_wait_listeners();
  return look_until(reached, state_->queues.size() == 1 ? &state_->queue(0) : nullptr);
}

bool tbb_executor::look_until(const std::function<bool()>& reached, node_queue* helped) const {
  // To park and be woken takes longer.
  constexpr std::chrono::microseconds patience{5};
  // The item that the caller waits for may be on a worker that needs this core.
  constexpr std::chrono::microseconds patience_without_yielding{1};
  auto last = pump::clock::now();
  pump::clock::duration looked{};
  do {
    using help = node_queue::help;
    const help how = helped == nullptr ? help::not_needed : helped->work_for_a_turn();
    if (reached()) return true;
    if (how == help::ended_its_turn) return false;
    if (how == help::found_no_more) last = pump::clock::now();
    if (looked < patience_without_yielding) {
      pause_processor();
    } else {
      std::this_thread::yield();
    }
    looked = pump::clock::now() - last;
  } while (others_work() && looked < patience);
  return false;
}

bool tbb_executor::suspend(const std::function<void(std::shared_ptr<gate>)>& arm,
                           time_stamp until) {
  const item_context& context = *current_item();
  const auto suspended = std::make_shared<suspending_gate>(*context.queue, *context.item);
  arm(suspended);
  if (suspended->opened()) return true;
  tell_wait_listeners();
  std::optional<pump::timer> timer;
  if (until != time_stamp::max()) {
    timer = state_->timers->post_at(state_->at(until), [suspended] { suspended->expire(); });
  }
  suspended->suspend();
  if (timer) state_->timers->cancel(*timer);
  return suspended->opened();
}

}  // namespace hocket
