// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <hocket/scheduler/detail/host_context.hpp>
#include <hocket/scheduler/detail/host_options.hpp>

namespace hocket::detail {

/// Where a host task is to run: on which executor, in which of its arenas, how urgently.
class run_place {
 public:
  /// Anywhere in the context.
  explicit run_place(host_context& context) noexcept : run_place(context, context.has_nodes()) {}
  run_place(host_context& context, bool has_nodes) noexcept
      : where_(&context.where()), has_nodes_(has_nodes) {}
  /// As the options say. Without a context, and without an executor in the options, it is nowhere:
  /// the task runs where its last predecessor ends.
  run_place(const host_context* context, const host_options& options) noexcept
      : where_(options.via),
        arena_(options.arena ? static_cast<std::uint32_t>(*options.arena)
                             : (options.via != nullptr ? 0 : no_arena)),
        priority_(static_cast<std::int8_t>(std::clamp(options.priority, -1, 1))),
        has_arena_(options.arena.has_value() || options.via != nullptr),
        at_home_(options.via == nullptr),
        cheap_(options.cheap),
        has_nodes_(context != nullptr && context->has_nodes()) {
    if (where_ == nullptr && context != nullptr) where_ = &context->where();
  }

  /// The task is to run where its last predecessor ends. Before any other thread knows it.
  void be_cheap() noexcept { cheap_ = true; }

  [[nodiscard]] executor* where() const noexcept { return where_; }
  [[nodiscard]] int priority() const noexcept { return priority_; }
  /// It is posted nowhere, but runs at once.
  [[nodiscard]] bool is_immediate() const noexcept { return cheap_ || where_ == nullptr; }
  /// It runs on the executor of its context.
  [[nodiscard]] bool is_at_home() const noexcept { return at_home_; }
  /// It may run in one arena only.
  [[nodiscard]] bool has_arena() const noexcept { return has_arena_; }
  /// It is to run where its data may be.
  [[nodiscard]] bool follows_data() const noexcept { return has_nodes_ && !has_arena_; }

  /// Where it is to run, and then where it has.
  [[nodiscard]] std::uint32_t arena() const noexcept {
    // Nothing is read because of it: relaxed.
    return arena_.load(std::memory_order_relaxed);
  }
  void prefer(std::uint32_t arena) noexcept {
    // As above.
    arena_.store(arena, std::memory_order_relaxed);
  }

  /// A worker that has run a task there may run this one next.
  [[nodiscard]] bool may_come_after(const run_place& other) const noexcept {
    return where_ == other.where_ && priority_ >= other.priority_ &&
           (arena() == no_arena || arena() == other.arena());
  }

 private:
  executor* where_;
  std::atomic<std::uint32_t> arena_{no_arena};
  std::int8_t priority_ = 0;
  bool has_arena_ : 1 = false;
  bool at_home_ : 1 = true;
  bool cheap_ : 1 = false;
  bool has_nodes_ : 1;  ///< as its context
};

}  // namespace hocket::detail
