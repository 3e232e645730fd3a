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
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <hocket/execution/executor.hpp>
#include <hocket/execution/topology.hpp>

#include "fiber.hpp"
#include "item_context.hpp"
#include "item_ring.hpp"
#include "suspension.hpp"
#include "worker_count.hpp"
#include "worker_place.hpp"

namespace hocket {

/// How long a worker runs items before it is oneTBB's again, and may be sent elsewhere: until it
/// has run some, and some time has passed.
class work_turn {
 public:
  static constexpr std::size_t items_at_a_time = oldest_first::items_in_a_lap;

  /// place: null for the turn of a guest, which is a thread that is no worker of oneTBB's.
  explicit work_turn(worker_place* place) noexcept : place_(place) { begin_lap(begin_); }

  [[nodiscard]] worker_place* place() const noexcept { return place_; }
  [[nodiscard]] oldest_first& oldest() noexcept {
    return place_ != nullptr ? place_->oldest : of_guest_;
  }

  /// Returns false if the turn is over.
  [[nodiscard]] bool goes_on() noexcept { return left_ > 0 || is_young(); }
  void count() noexcept {
    --left_;
    has_run_ = true;
  }

  [[nodiscard]] bool has_run() const noexcept { return has_run_; }

  /// The last look at all that there is, on a stack that is being left, has found no item: the
  /// worker need not look again at once.
  void note_found_none() noexcept { has_found_none_ = true; }
  /// Whether that was noted since this was asked last.
  [[nodiscard]] bool take_found_none() noexcept { return std::exchange(has_found_none_, false); }

 private:
  using clock = oldest_first::clock;
  static constexpr std::chrono::microseconds shortest{50};

  [[nodiscard]] bool is_young() noexcept;
  void begin_lap(clock::time_point now) noexcept;

  worker_place* place_;
  oldest_first of_guest_;
  bool has_run_ = false;
  bool has_found_none_ = false;
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
/// item after another: the most urgent first, then the newest of those that it has posted itself,
/// then what other threads have posted, the oldest first, and last what it can steal from another
/// worker. What a worker posts and runs itself is written to memory that others seldom write.
///
/// All nodes share one oneTBB arena, and neither its priorities nor its task::suspend are used: it
/// counts a worker as free as soon as its arena has no more work, though the worker may be at an
/// item for long or its stack be suspended. So other arenas get too few workers, or none at all.
class node_queue {
 public:
  using work_item = executor::work_item;
  enum class level : std::uint8_t { helper, high, normal, low };

  /// out_of_items: called by a worker that has found no item, before it searches for one.
  node_queue(const void* owner, std::size_t node, const host_topology& topology,
             tbb::task_arena& arena, std::size_t slots, const std::function<void()>& out_of_items);
  node_queue(const node_queue&) = delete;
  node_queue& operator=(const node_queue&) = delete;
  ~node_queue();

  void post(level urgency, work_item item);
  void post(level urgency, executor::bare_item item) {
    if (urgency == level::normal) return post_normal(item, place_of_caller());
    const post_scope here(*this);
    // Before: a worker that sees the count looks for the item until it is there.
    beside_.fetch_add(1);
    try {
      queue(urgency).push(item);
    } catch (...) {
      beside_.fetch_sub(1);
      throw;
    }
  }
  /// poster: the calling worker; null if it is none.
  void post_normal(executor::bare_item item, worker_record* poster) {
    auto* const own = static_cast<worker_place*>(poster);
    if (own != nullptr && own->queue == this && own->items.make_room(max_in_place)) {
      own->items.push(item, std::memory_order_seq_cst);
      return send_if_wanted();
    }
    const post_scope here(*this);
    queue(level::normal).push(item);
  }
  /// See executor::take_back().
  [[nodiscard]] bool take_back(const void* what) noexcept {
    return queue(level::normal).ring.pop_if([&](const executor::bare_item& first) {
      return first.what == what;
    });
  }

  /// Takes the newest item of the place, which is the calling worker's, if accepts() says so of
  /// what it is called with. Returns that, or null.
  [[nodiscard]] void* take_newest_if(worker_place& own, bool (*accepts)(void*, const void*),
                                     const void* by) noexcept;

  /// Calls the executor's owner, for a worker that is out of items or owes the call.
  void call_without_items(worker_place& own) const noexcept {
    own.owes_call = false;
    if (out_of_items_) out_of_items_();
  }

  /// True if something urgent waits, or anything that other threads have posted and the worker has
  /// run so many of its own items in a row.
  [[nodiscard]] bool others_are_due(std::size_t in_a_row) const noexcept {
    // Relaxed: the next look will do.
    if (beside_.load(std::memory_order_relaxed) != 0 && urgent_items_wait()) return true;
    return in_a_row >= work_turn::items_at_a_time && queue(level::normal).occupied();
  }

  /// How a thread that is no worker has helped.
  enum class help : std::uint8_t { not_needed, found_no_more, ended_its_turn };

  /// The calling thread, which is in no item, runs items as a worker does, for one turn, if some
  /// wait. What they post goes where all threads look.
  help work_for_a_turn() noexcept;

  /// Goes on with an item that was suspended.
  void post_resumed(suspendable_item* item) noexcept;

  /// A worker is about to stand still in an item that lacks a stack, until unpark(). Returns false
  /// if it is the last one that does not: who could end its wait might find no worker.
  [[nodiscard]] bool park() noexcept;
  void unpark() noexcept { parked_.fetch_sub(1); }
  [[nodiscard]] std::size_t suspended() const noexcept { return workers_.suspended(); }

  /// The places of its workers.
  [[nodiscard]] std::span<worker_place> places() noexcept { return places_; }

  /// True if an item of other threads waits that is not urgent.
  [[nodiscard]] bool items_of_others_wait() const noexcept {
    return queue(level::normal).occupied();
  }

  /// How many workers have an item.
  [[nodiscard]] std::size_t at_work() const noexcept { return workers_.at_work(); }

  /// True if an item waits for a worker, or is being posted. At the next moment it may be
  /// otherwise.
  [[nodiscard]] bool items_wait() const noexcept;

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
    /// True if there is an item, or one is being pushed.
    [[nodiscard]] bool occupied() const noexcept { return behind.load() != 0 || ring.occupied(); }
    void push(executor::bare_item item) {
      // Relaxed: who finds the ring free again a little late or early does no harm.
      if (behind.load(std::memory_order_relaxed) != 0 || !ring.try_push(item)) push_behind(item);
    }
    [[nodiscard]] bool try_pop(executor::bare_item& item) {
      return ring.try_pop(item) || pop_behind(item);
    }
    void push_behind(executor::bare_item item);
    [[nodiscard]] bool pop_behind(executor::bare_item& item);

    item_ring<item_cell> ring;
    std::atomic<std::size_t> behind{0};  // how many are in rest; changed under the lock
    std::mutex guard;                    // for what follows
    std::deque<executor::bare_item> rest;
  };

  /// Of the items that a worker posts itself: more go where all workers look, or a burst of a
  /// million would leave memory for as many behind in each place.
  static constexpr std::size_t max_in_place = std::size_t{1} << 15U;

  /// While it lives, the queue does too, whatever becomes of an item that is posted.
  class post_scope {
   public:
    explicit post_scope(node_queue& queue) noexcept : queue_(queue) {
      queue_.workers_.begin_post();
    }
    post_scope(const post_scope&) = delete;
    post_scope& operator=(const post_scope&) = delete;
    ~post_scope() {
      if (!queue_.workers_.end_post()) return;
      queue_.enqueue_turn(true);
      queue_.workers_.post_is_over();
    }

   private:
    node_queue& queue_;
  };

  /// Only in a worker, which keeps the queue alive.
  void send_if_wanted() noexcept {
    if (workers_.wants_worker()) enqueue_turn(true);
  }
  void enqueue_turn(bool searches) noexcept;
  void turn(bool searches) noexcept;
  [[nodiscard]] bool await(work& found, work_turn& turn, bool searches) noexcept;
  [[nodiscard]] bool places_hold_items() const noexcept;
  [[nodiscard]] bool look_for_items(const work_turn& turn) const noexcept;
  void run(const work& found, work_turn& turn) noexcept;
  [[nodiscard]] bool take(work& found, work_turn& turn) noexcept;
  /// take(), where a look at the worker's own items and the normal queue is enough.
  [[nodiscard]] bool take_plainly(executor::bare_item& item, work_turn& turn) noexcept {
    // Relaxed: as in take().
    return beside_.load(std::memory_order_relaxed) == 0 && !turn.oldest().is_due() &&
           take_normal(item, turn.place());
  }
  [[nodiscard]] bool take_resumed(work& found);
  [[nodiscard]] bool take_urgent(work& found);
  [[nodiscard]] bool take_normal(executor::bare_item& item, worker_place* own) noexcept {
    return (own != nullptr && own->items.take(item)) || queue(level::normal).try_pop(item);
  }
  [[nodiscard]] bool take_oldest(executor::bare_item& item, work_turn& turn) noexcept;
  [[nodiscard]] bool take_low(work& found);
  [[nodiscard]] bool urgent_items_wait() const noexcept {
    return !resumed_.empty() || queue(level::helper).occupied() || queue(level::high).occupied();
  }
  [[nodiscard]] bool steal(executor::bare_item& item, const worker_place* own) noexcept;
  [[nodiscard]] const line& queue(level urgency) const noexcept {
    return items_[static_cast<std::size_t>(urgency)];
  }
  [[nodiscard]] line& queue(level urgency) noexcept {
    return items_[static_cast<std::size_t>(urgency)];
  }
  [[nodiscard]] suspendable_item* begin(executor::bare_item item, work_turn& turn) noexcept;
  [[nodiscard]] suspendable_item* go_on(std::unique_ptr<suspendable_item> item,
                                        work_turn& turn) noexcept;
  void serve(suspendable_item& own) noexcept;
  void run_without_stack(executor::bare_item item, const work_turn& turn) noexcept;
  [[nodiscard]] worker_place* own_place() noexcept;
  [[nodiscard]] worker_place* place_of_caller() const noexcept {
    const item_context* const here = current_item();
    return here != nullptr ? here->place : nullptr;
  }
  [[nodiscard]] std::unique_ptr<suspendable_item> stack_for_item(const work_turn& turn) noexcept;
  void keep(std::unique_ptr<suspendable_item> item, const work_turn& turn) noexcept;

  const void* owner_;
  std::size_t node_;
  const host_topology& topology_;
  tbb::task_arena& arena_;
  const std::function<void()>& out_of_items_;
  tbb::concurrent_queue<suspendable_item*> resumed_;
  std::array<line, 4> items_;           // by level
  std::atomic<std::size_t> beside_{0};  // how many items are not of the normal level
  std::vector<worker_place> places_;    // one for each slot of oneTBB's arena
  std::atomic<suspendable_item*> spare_of_guests_{nullptr};  ///< one, or null
  std::mutex spare_mutex_;
  std::vector<std::unique_ptr<suspendable_item>> spare_;
  std::atomic<std::size_t> parked_{0};  // workers
  worker_count<> workers_;
};

}  // namespace hocket
