// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "item_context.hpp"

#include <hocket/execution/worker_record.hpp>

#include "worker_place.hpp"

namespace hocket {
namespace {

constinit thread_local const item_context* current_context = nullptr;

/// Where the thread is bound to.
constinit thread_local const host_topology* bound_topology = nullptr;
constinit thread_local std::size_t bound_node = 0;

}  // namespace

[[gnu::noinline]] const item_context* current_item() noexcept { return current_context; }
[[gnu::noinline]] void set_current_item(const item_context* context) noexcept {
  current_context = context;
}

[[gnu::noinline]] worker_record* current_worker(const void* pool) noexcept {
  const item_context* const here = current_context;
  return here != nullptr && here->owner == pool ? here->place : nullptr;
}

void bind_worker(const host_topology& topology, std::size_t node) noexcept {
  // With one node there is nothing to choose.
  if (topology.nodes().size() == 1 || (bound_topology == &topology && bound_node == node)) return;
  bound_topology = &topology;
  bound_node = node;
  topology.bind_current_thread(node);
}

void unbind_worker(const host_topology& topology) noexcept {
  if (bound_topology != &topology) return;
  bound_topology = nullptr;
  topology.unbind_current_thread();
}

}  // namespace hocket
