// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <span>
#include <vector>

#include <hocket/scheduler/detail/description.hpp>
#include <hocket/scheduler/detail/graph_use.hpp>
#include <hocket/scheduler/task_options.hpp>

namespace hocket::detail {

class runtime_core;

/// Throws usage_error if the runtime has no such device. The name begins a sentence.
void check_device(const device_handle& device, runtime_core& home, const std::string& name);

/// Everything that the caller of submit could have known to be wrong: throws usage_error with the
/// labels, the values given and those allowed.
void check(const task_description& task, runtime_core& home);

/// Throws usage_error for graphs that are not there or belong to another runtime, and for settings
/// of parameters that they do not have.
void check(const graph_use& use, runtime_core& home);

/// As states_of(), of futures that may be part of a recording.
[[nodiscard]] std::vector<task_state_ptr> named_states_of(std::span<const any_future> futures);

/// Whether some device, the one that the task names or any, can run it and has memory for it.
[[nodiscard]] bool fits_a_device(const task_description& task, runtime_core& home);

}  // namespace hocket::detail
