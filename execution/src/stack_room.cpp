// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/execution/stack_room.hpp>

#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "item_context.hpp"
#include "node_queue.hpp"

namespace hocket {
namespace {

/// The address below which less than half of the thread's own stack is free.
std::uintptr_t middle_of_own_stack() noexcept {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* lowest = nullptr;
  std::size_t bytes = 0;
  const bool known = pthread_attr_getstack(&attributes, &lowest, &bytes) == 0;
  pthread_attr_destroy(&attributes);
  return known ? reinterpret_cast<std::uintptr_t>(lowest) + bytes / 2 : 0;
}

std::uintptr_t middle_of_stack() noexcept {
  const item_context* const item = current_item();
  if (item != nullptr && item->item != nullptr) return item->item->stack->middle();
  static thread_local const std::uintptr_t own = middle_of_own_stack();
  return own;
}

}  // namespace

[[gnu::noinline]] bool stack_has_room() noexcept {
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) > middle_of_stack();
}

}  // namespace hocket
