// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "futures.hpp"
#include "targets.hpp"

namespace hocket::python {

/// A hocket.Scope in its block. Keeps the runtime, or the scope, that it is in. Used with the
/// GIL.
class open_scope {
 public:
  open_scope(const task_target& in, const scope_options& options);

  [[nodiscard]] const open_runtime_ref& home() const noexcept { return in_.home; }

  /// Throws usage_error if the scope has ended.
  [[nodiscard]] const std::shared_ptr<task_scope>& get() const;

  /// Waits for the tasks, to which the scope is there until they have ended, and lets go of it and
  /// of what it is in. A failure that nothing has looked at is not told.
  void close();

 private:
  task_target in_;  // outlives the scope
  std::shared_ptr<task_scope> scope_;
};

}  // namespace hocket::python
