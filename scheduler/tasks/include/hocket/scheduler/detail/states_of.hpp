// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <span>
#include <vector>

#include <hocket/scheduler/future.hpp>
#include <hocket/scheduler/task_options.hpp>

namespace hocket::detail {

/// As states_of(), of futures that may be part of a recording.
[[nodiscard]] std::vector<task_state_ptr> named_states_of(std::span<const any_future> futures);

[[nodiscard]] std::vector<task_state_ptr> states_of(std::span<const any_future> futures);

/// Throws usage_error for options that host functions without accesses do not have. The context is
/// null in a recording.
[[nodiscard]] host_options host_options_of(const task_options& options, host_context* context);

}  // namespace hocket::detail
