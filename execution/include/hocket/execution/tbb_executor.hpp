// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <memory>

#include <hocket/execution/executor.hpp>
#include <hocket/execution/topology.hpp>

namespace hocket {

class node_queue;

/// Work on oneTBB: it has a worker for each core, and at most as many are at the items of a NUMA
/// node as the node has cores, kept on these. A worker that is free takes the most urgent item.
/// Idle workers use no CPU.
///
/// The arenas are full without any thread of the user's helping. A tbb::global_control of the
/// user's that allows less wins; one worker is always left. What other executors of the process do
/// can delay items while theirs are at it (oneTBB lends it fewer workers then), never block them.
class tbb_executor final : public executor {
 public:
  /// Starts oneTBB in full. Throws error if that fails; oneTBB must then not be used again by the
  /// process, because it could hang. Throws usage_error in a child process if its parent had an
  /// executor before the fork: oneTBB has no threads there, and does not start new ones.
  /// out_of_items is called by a worker that finds no item, before it searches for one, unless it
  /// came to search; and as worker_record says. It must be short and not throw.
  explicit tbb_executor(std::shared_ptr<const host_topology> topology,
                        std::function<void()> out_of_items = {});

  /// Waits until the items that were posted have ended, suspended ones too: the owner sees to it
  /// that they can, and that nobody posts any more. Timed items that are not due yet are dropped.
  /// Not from an item. Waits for nothing if is_forked().
  ~tbb_executor() override;

  [[nodiscard]] const host_topology& topology() const noexcept;

  [[nodiscard]] time_stamp now() const noexcept override;
  [[nodiscard]] std::int64_t ticks() const noexcept override;
  [[nodiscard]] tick_scale scale_of_ticks() const noexcept override;
  [[nodiscard]] bool is_virtual() const noexcept override { return false; }
  [[nodiscard]] std::size_t arenas() const noexcept override;
  [[nodiscard]] std::size_t workers(std::size_t arena) const noexcept override;

  void post(std::size_t arena, int priority, work_item item) override;
  void post_bare(std::size_t arena, int priority, bare_item item, worker_record* poster) override;
  bool take_back(std::size_t arena, const void* what) noexcept override;

  /// The item runs in arena 0 with high priority.
  void post_at(time_stamp time, work_item item) override;

  void call_at(time_stamp time, work_item item) override;

  void for_ranges(std::size_t arena, std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& piece) override;

  /// Where an item cannot be suspended its worker parks: inside a piece of for_ranges and inside
  /// other oneTBB algorithms, whose frames belong to the thread; and where there is no memory for
  /// another stack (Linux allows some 30 000). Do not wait inside this_task_arena::isolate. An
  /// exception that is being handled, or is on its way, goes with the item.
  bool wait(const std::function<void(std::shared_ptr<gate>)>& arm,
            time_stamp until = time_stamp::max()) override;

  [[nodiscard]] bool look_until(const std::function<bool()>& reached) override;

  /// The calling thread runs items only where there is one arena: else it may be on another node's
  /// cores.
  [[nodiscard]] bool help_until(const std::function<bool()>& reached) override;

  [[nodiscard]] bool others_work() const noexcept override;
  [[nodiscard]] bool inside() const noexcept override;
  [[nodiscard]] bool is_forked() const noexcept override;
  [[nodiscard]] const void* pool() const noexcept override;
  [[nodiscard]] std::vector<worker_record*> records() const override;

 private:
  struct state;
  [[nodiscard]] bool look_until(const std::function<bool()>& reached, node_queue* helped) const;
  [[nodiscard]] bool suspend(const std::function<void(std::shared_ptr<gate>)>& arm,
                             time_stamp until);

  std::unique_ptr<state> state_;
};

}  // namespace hocket
