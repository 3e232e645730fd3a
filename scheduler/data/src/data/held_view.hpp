// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <string>

#include <hocket/core/ids.hpp>
#include <hocket/scheduler/detail/task_state.hpp>

namespace hocket::detail {

/// A host view that is open. It is held by the stack that opened it, until it is detached.
struct held_view {
  task_id id = {};           ///< of a placed view
  task_state_ptr node = {};  ///< of one without placement: a view_node
  std::uint64_t holder = 0;  ///< its stack_number(); 0, which no stack has: the view is detached
  std::string label = {};    ///< of the buffer

  [[nodiscard]] bool is_same(const held_view& other) const noexcept {
    return id == other.id && node == other.node;
  }
};

/// Where a runtime notes the views that stacks hold. Any thread.
class view_registry {
 public:
  virtual void opened(held_view&& view) = 0;
  /// Lets the tasks behind the view go on, unless the end of the runtime has done so.
  virtual void closed(const held_view& view) = 0;
  /// No stack holds the view any more. Returns false if the end of the runtime has closed it.
  [[nodiscard]] virtual bool detached(const held_view& view) = 0;

 protected:
  ~view_registry() = default;
};

}  // namespace hocket::detail
