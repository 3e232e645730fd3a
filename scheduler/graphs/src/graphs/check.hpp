// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <hocket/scheduler/detail/description.hpp>
#include <hocket/scheduler/detail/graph_use.hpp>
#include <hocket/scheduler/task_options.hpp>

namespace hocket::detail {

class placed_runtime;

/// Throws usage_error if the runtime has no such device. The name begins a sentence.
void check_device(const device_handle& device, placed_runtime& home, const std::string& name);

/// Everything that the caller of submit could have known to be wrong: throws usage_error with the
/// labels, the values given and those allowed.
void check(const task_description& task, placed_runtime& home);

/// Throws usage_error unless a task with that label may give back what the other one takes: a task
/// with data of the runtime.
void check_taker(const task_state& taker, const placed_runtime& home, std::string_view label);

/// Throws usage_error for graphs that are not there or belong to another runtime, and for settings
/// of parameters that they do not have.
void check(const graph_use& use, placed_runtime& home);

/// Whether some device, the one that the task names or any, can run it and has memory for it.
[[nodiscard]] bool fits_a_device(const task_description& task, placed_runtime& home);

}  // namespace hocket::detail
