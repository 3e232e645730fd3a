// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/scheduler/detail/task_state.hpp>

namespace hocket::detail {

/// Keeps the scope and the runtime of a task open while its body still runs after the task has
/// ended. Either finish() is called after begin(), or neither is.
class running_body final : public task_state {
 public:
  explicit running_body(host_context& context) : task_state(&context) {}

  /// Before the end of the task is announced, which may be the last that is counted.
  void begin() noexcept { context()->started(*this); }
};

}  // namespace hocket::detail
