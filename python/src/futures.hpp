// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <nanobind/nanobind.h>

#include <hocket/core/dtype.hpp>
#include <hocket/scheduler/future.hpp>
#include <memory>
#include <optional>

#include "python_threads.hpp"
#include "runtimes.hpp"

namespace hocket::python {

/// Where a Python function leaves what it returned. Set before its task ends.
struct returned_object {
  kept_object value;
};

/// What hocket.Future stands for: a task, and what its value is.
struct task_future {
  open_runtime_ref home;
  detail::task_state_ptr task;
  std::optional<element_type> number = {};         ///< of a kernel that returns one
  std::shared_ptr<returned_object> returned = {};  ///< of a function
};

}  // namespace hocket::python
