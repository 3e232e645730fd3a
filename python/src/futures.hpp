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

/// What hocket.Future stands for: a task, and the type of its value if that is a number. What a
/// Python function returns is kept by Python objects alone.
struct task_future {
  open_runtime_ref home;
  detail::task_state_ptr task;
  std::optional<element_type> number = {};  ///< of a kernel that returns one
};

}  // namespace hocket::python
