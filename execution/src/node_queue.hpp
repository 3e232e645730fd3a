// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/task_arena.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <hocket/execution/executor.hpp>
#include <hocket/execution/topology.hpp>

#include "crew.hpp"
#include "fiber.hpp"
#include "item_context.hpp"
#include "item_ring.hpp"
#include "suspension.hpp"

namespace hocket {

/// What items run on, one after the other, and where one of them is suspended.
class suspendable_item {
 public:
  explicit suspendable_item(std::unique_ptr<fiber> s) noexcept : stack(std::move(s)) {}

  std::unique_ptr<fiber> stack;
  item_context context;
  suspension<>* waits_at = nullptr;
  executor::bare_item item;  ///< the first one, before it begins
  std::size_t* left_of_turn =
      nullptr;                       ///< how many more items the worker runs that is on the stack
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
  void post(level urgency, executor::bare_item item);

  /// Goes on with an item that was suspended.
  void post_resumed(suspendable_item* item) noexcept;

  /// Items that wait for a worker, and workers.
  [[nodiscard]] std::size_t at_work() const noexcept { return crew_.at_work(); }

  /// True if every item has ended and none of them will touch this any more.
  [[nodiscard]] bool idle() const noexcept { return crew_.idle(); }

 private:
  struct work {
    suspendable_item* resumed = nullptr;
    executor::bare_item item;
  };
  /// The items of one level, first in first out: those that do not fit the ring wait behind it.
  struct line {
    explicit line(std::size_t capacity) : ring(capacity) {}
    void push(executor::bare_item item);
    [[nodiscard]] bool try_pop(executor::bare_item& item);

    item_ring<executor::bare_item> ring;
    std::atomic<std::size_t> behind{0};
    tbb::concurrent_queue<executor::bare_item> rest;
  };
  /// One for each slot of oneTBB's arena.
  struct alignas(64) place {
    std::unique_ptr<suspendable_item> spare;
  };

  void announce() noexcept;
  void enqueue_turn() noexcept;
  void turn() noexcept;
  [[nodiscard]] work take();
  [[nodiscard]] suspendable_item* begin(executor::bare_item item,
                                        std::size_t& left_of_turn) noexcept;
  [[nodiscard]] suspendable_item* run(std::unique_ptr<suspendable_item> item,
                                      std::size_t& left_of_turn) noexcept;
  void serve(suspendable_item& own) noexcept;
  void run_without_stack(executor::bare_item item) noexcept;
  [[nodiscard]] place* own_place() noexcept;
  [[nodiscard]] std::unique_ptr<suspendable_item> stack_for_item() noexcept;
  void keep(std::unique_ptr<suspendable_item> item) noexcept;

  const void* owner_;
  std::size_t node_;
  const host_topology& topology_;
  tbb::task_arena& arena_;
  tbb::concurrent_queue<suspendable_item*> resumed_;
  std::array<line, 4> items_;  // by level
  std::vector<place> places_;
  std::mutex spare_mutex_;
  std::vector<std::unique_ptr<suspendable_item>> spare_;
  crew<> crew_;
};

}  // namespace hocket
