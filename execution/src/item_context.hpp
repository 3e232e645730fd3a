// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>

#include <hocket/execution/executor.hpp>
#include <hocket/execution/topology.hpp>

namespace hocket {

class node_queue;
class suspendable_item;
struct worker_place;

/// The item that a thread is in.
struct item_context {
  const void* owner = nullptr;  ///< its executor
  std::size_t arena = 0;
  node_queue* queue = nullptr;
  suspendable_item* item = nullptr;  ///< null where an item cannot be suspended
  const void* group = nullptr;       ///< oneTBB's, for the item itself
  bool lacks_stack = false;          ///< that it could be suspended on: there was no memory for one
  const executor::bare_item* bare =
      nullptr;                    ///< what runs; null in a piece of for_ranges that no worker runs
  worker_place* place = nullptr;  ///< of the worker; null if the thread is none
};

// Not inlined, and with their variable in a file of their own: an item that was suspended may go on
// with another thread, and the compiler must not keep the address of the first one's variable.
[[nodiscard]] const item_context* current_item() noexcept;
void set_current_item(const item_context* context) noexcept;

/// Keeps the calling worker on the cores of a node, unless it is there already.
void bind_worker(const host_topology& topology, std::size_t node) noexcept;
/// oneTBB may send the calling worker elsewhere.
void unbind_worker(const host_topology& topology) noexcept;

/// The calling thread is in an item, while this lives: it must not be suspended meanwhile.
class context_scope {
 public:
  explicit context_scope(const item_context& inner) noexcept : outer_(current_item()) {
    set_current_item(&inner);
  }
  context_scope(const context_scope&) = delete;
  context_scope& operator=(const context_scope&) = delete;
  ~context_scope() { set_current_item(outer_); }

 private:
  const item_context* outer_;
};

}  // namespace hocket
