// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/task_arena.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <hocket/execution/executor.hpp>
#include <hocket/execution/topology.hpp>

#include "fiber.hpp"
#include "item_context.hpp"
#include "item_ring.hpp"
#include "suspension.hpp"
#include "worker_count.hpp"

namespace hocket {

/// How long a worker runs items before it is oneTBB's again, and may be sent elsewhere: until it
/// has run some, and some time has passed.
class work_turn {
 public:
  enum class by : std::uint8_t { worker, guest };

  /// A guest is a thread that is no worker of oneTBB's.
  explicit work_turn(by who = by::worker) noexcept : who_(who) {}

  [[nodiscard]] bool is_of_guest() const noexcept { return who_ == by::guest; }

  /// Returns false if the turn is over.
  [[nodiscard]] bool goes_on() noexcept { return left_ > 0 || is_young(); }
  void count() noexcept { --left_; }

 private:
  using clock = std::chrono::steady_clock;
  static constexpr std::size_t items_at_a_time = 32;
  static constexpr std::chrono::microseconds shortest{50};

  [[nodiscard]] bool is_young() noexcept;

  by who_;
  std::size_t left_ = items_at_a_time;
  clock::time_point begin_ = clock::now();
};

/// What items run on, one after the other, and where one of them is suspended.
class suspendable_item {
 public:
  explicit suspendable_item(std::unique_ptr<fiber> s) noexcept : stack(std::move(s)) {}

  std::unique_ptr<fiber> stack;
  item_context context;
  suspension<>* waits_at = nullptr;
  executor::bare_item item;          ///< the one at hand, or the first one before it begins
  work_turn* turn = nullptr;         ///< of the worker that is on the stack
  suspendable_item* next = nullptr;  ///< was found, and is to be gone on with, when this ends
};

/// The items for one node. As many of oneTBB's workers run them as the node has cores, each one
/// item after another, the most urgent first.
///
/// All nodes share one oneTBB arena, and neither its priorities nor its task::suspend are used: it
/// counts a worker as free as soon as its arena has no more work, though the worker may be at an
/// item for long or its stack be suspended. So other arenas get too few workers, or none at all.
class node_queue {
 public:
  using work_item = executor::work_item;
  enum class level : std::uint8_t { helper, high, normal, low };

  node_queue(const void* owner, std::size_t node, const host_topology& topology,
             tbb::task_arena& arena, std::size_t slots);

  void post(level urgency, work_item item);
  void post(level urgency, executor::bare_item item) {
    if (urgency == level::normal) return post_normal(item);
    // Before the worker count hears of the item: who is to take it then looks for it everywhere.
    beside_.fetch_add(1, std::memory_order_relaxed);
    try {
      queue(urgency).push(item);
    } catch (...) {
      beside_.fetch_sub(1, std::memory_order_relaxed);
      throw;
    }
    if (workers_.add()) enqueue_turn();
  }
  void post_normal(executor::bare_item item) {
    queue(level::normal).push(item);
    if (workers_.add()) enqueue_turn();
  }

  /// How a thread that is no worker has helped.
  enum class help : std::uint8_t { not_needed, found_no_more, ended_its_turn };

  /// The calling thread, which is in no item, runs items as a worker does, for one turn, if some
  /// wait.
  help work_for_a_turn() noexcept;

  /// Goes on with an item that was suspended.
  void post_resumed(suspendable_item* item) noexcept;

  /// A worker is about to stand still in an item that lacks a stack, until unpark(). Returns false
  /// if it is the last one that does not: who could end its wait might find no worker.
  [[nodiscard]] bool park() noexcept;
  void unpark() noexcept { parked_.fetch_sub(1); }
  [[nodiscard]] std::size_t suspended() const noexcept { return workers_.suspended(); }

  /// Items that wait for a worker, and workers.
  [[nodiscard]] std::size_t at_work() const noexcept { return workers_.at_work(); }

  /// True if every item has ended and none of them will touch this any more.
  [[nodiscard]] bool idle() const noexcept { return workers_.idle(); }

 private:
  struct work {
    suspendable_item* resumed = nullptr;
    executor::bare_item item;
  };
  /// The items of one level, first in first out: those that do not fit the ring wait behind it,
  /// under a lock, and go to the ring many at a time.
  ///
  /// Not in oneTBB's concurrent_queue: there each thread waits for the one that came before, and
  /// yields until that has been let run, so that all of many threads on few cores yield all day.
  struct line {
    explicit line(std::size_t capacity) : ring(capacity) {}
    void push(executor::bare_item item) {
      // Relaxed: who finds the ring free again a little late or early does no harm.
      if (behind.load(std::memory_order_relaxed) != 0 || !ring.try_push(item)) push_behind(item);
    }
    [[nodiscard]] bool try_pop(executor::bare_item& item) {
      return ring.try_pop(item) || pop_behind(item);
    }
    void push_behind(executor::bare_item item);
    [[nodiscard]] bool pop_behind(executor::bare_item& item);

    item_ring<executor::bare_item> ring;
    std::atomic<std::size_t> behind{0};  // how many are in rest; changed under the lock
    std::mutex guard;                    // for what follows
    std::deque<executor::bare_item> rest;
  };
  /// One for each slot of oneTBB's arena.
  struct alignas(64) place {
    std::unique_ptr<suspendable_item> spare;
  };

  void enqueue_turn() noexcept;
  void turn() noexcept;
  void run_one(work_turn& turn) noexcept;
  [[nodiscard]] work take();
  [[nodiscard]] bool take_normal(executor::bare_item& item) noexcept {
    // Relaxed: the worker count has ordered the count before the item that this worker has to take.
    return beside_.load(std::memory_order_relaxed) == 0 && queue(level::normal).ring.try_pop(item);
  }
  [[nodiscard]] bool take_urgent(work& taken);
  [[nodiscard]] bool take_low(work& taken);
  [[nodiscard]] line& queue(level urgency) noexcept {
    return items_[static_cast<std::size_t>(urgency)];
  }
  [[nodiscard]] suspendable_item* begin(executor::bare_item item, work_turn& turn) noexcept;
  [[nodiscard]] suspendable_item* run(std::unique_ptr<suspendable_item> item,
                                      work_turn& turn) noexcept;
  void serve(suspendable_item& own) noexcept;
  void run_without_stack(executor::bare_item item) noexcept;
  [[nodiscard]] place* own_place(const work_turn& turn) noexcept;
  [[nodiscard]] std::unique_ptr<suspendable_item> stack_for_item(const work_turn& turn) noexcept;
  void keep(std::unique_ptr<suspendable_item> item, const work_turn& turn) noexcept;

  const void* owner_;
  std::size_t node_;
  const host_topology& topology_;
  tbb::task_arena& arena_;
  tbb::concurrent_queue<suspendable_item*> resumed_;
  std::array<line, 4> items_;           // by level
  std::atomic<std::size_t> beside_{0};  // how many items are not of the normal level
  std::vector<place> places_;
  std::mutex spare_mutex_;
  std::vector<std::unique_ptr<suspendable_item>> spare_;
  std::atomic<std::size_t> parked_{0};  // workers
  worker_count<> workers_;
};

}  // namespace hocket
