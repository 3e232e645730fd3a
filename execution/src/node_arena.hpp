// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <hocket/execution/executor.hpp>
#include <hocket/execution/topology.hpp>

#include "fiber.hpp"
#include "item_context.hpp"
#include "suspension.hpp"

namespace hocket {

/// Keeps the workers of one arena on the cores of its node.
class node_binder final : public tbb::task_scheduler_observer {
 public:
  node_binder(tbb::task_arena& arena, const host_topology& topology, std::size_t node)
      : tbb::task_scheduler_observer(arena), topology_(topology), node_(node) {
    observe(true);
  }
  ~node_binder() override { observe(false); }

  void on_scheduler_entry(bool is_worker) override;
  void on_scheduler_exit(bool is_worker) override;

 private:
  const host_topology& topology_;
  std::size_t node_;
};

/// What an item runs on, and where it is suspended.
class suspendable_item {
 public:
  explicit suspendable_item(std::unique_ptr<fiber> s) noexcept : stack(std::move(s)) {}

  std::unique_ptr<fiber> stack;
  item_context context;
  suspension<>* waits_at = nullptr;
};

/// The workers of one node, and the items for them.
///
/// oneTBB's own priorities are not used: they mean something only while arenas compete for too few
/// workers, and then executors starve one another. Nor is its task::suspend: workers whose stack is
/// suspended count as running, so that other arenas get none, and it hangs from 4 096 items on.
class node_arena {
 public:
  using work_item = executor::work_item;

  node_arena(const void* owner, std::size_t node, const host_topology& topology);
  ~node_arena();

  void post(int priority, work_item item);

  /// Goes on with an item that was suspended.
  void post_resumed(suspendable_item* item) noexcept;

  template <class Function>
  void execute(const Function& function) {
    arena_.execute(function);
  }

  /// True if every item has ended and none of them will touch this any more.
  [[nodiscard]] bool idle() const noexcept {
    // Pairs with the release in leave().
    return unfinished_.load(std::memory_order_acquire) == 0;
  }

 private:
  struct work {
    suspendable_item* resumed = nullptr;
    work_item item;
  };
  /// One for each slot of oneTBB's arena, which has more slots than workers if there is one worker.
  struct alignas(64) place {
    std::unique_ptr<suspendable_item> spare;
  };

  void enqueue_turn() noexcept;
  void turn() noexcept;
  [[nodiscard]] work take();
  [[nodiscard]] bool begin(work_item item) noexcept;
  [[nodiscard]] bool run(std::unique_ptr<suspendable_item> item) noexcept;
  void run_without_stack(work_item item) noexcept;
  [[nodiscard]] place* own_place() noexcept;
  [[nodiscard]] std::unique_ptr<suspendable_item> stack_for_item() noexcept;
  void keep(std::unique_ptr<suspendable_item> item) noexcept;
  void leave(std::size_t count) noexcept;

  static constexpr std::size_t most_spare = 256;

  const void* owner_;
  std::size_t node_;
  tbb::task_arena arena_;
  std::optional<node_binder> binder_;
  tbb::concurrent_queue<suspendable_item*> resumed_;
  std::array<tbb::concurrent_queue<work_item>, 3> items_;  // the most urgent first
  std::vector<place> places_;
  std::mutex spare_mutex_;
  std::vector<std::unique_ptr<suspendable_item>> spare_;
  // Items that have not ended, turns that have not, and callers of post_resumed.
  alignas(64) std::atomic<std::size_t> unfinished_ = 0;
};

}  // namespace hocket
