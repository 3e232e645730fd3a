// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/core/duration.hpp>

namespace hocket::detail {

class task_state;

/// Waits until the task has ended, helping where that is possible. Throws usage_error if waiting
/// makes no sense. Counts as a look at how it ended.
void wait_for_end(task_state& task);

/// The same, without helping; returns false if the time came first.
[[nodiscard]] bool wait_for_end(task_state& task, nanoseconds duration);

/// The same where the executor cannot wait: the thread stands still, worker or not.
void wait_without_executor(task_state& task) noexcept;

/// Throws usage_error: the result of the task was moved out by future::take().
[[noreturn]] void refuse_taken(const task_state& task);

/// Throws usage_error if the task is not_waitable().
void check_waitable(const task_state& task);
/// Throws usage_error if the task is not_waitable(), or if its result was moved out.
void check_readable(task_state& task);
/// Throws usage_error if the task is not_waitable(), or if it has ended and its runtime has gone.
void check_continuable(const task_state& task);

}  // namespace hocket::detail
