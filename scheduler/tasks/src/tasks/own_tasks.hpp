// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

namespace hocket::detail {

class host_context;
class host_task;
struct helping;

/// For a thread that waits for the task, or for one behind it: runs the task if it is ready and may
/// run here. Returns whether it did.
[[nodiscard]] bool run_own_or_ready(host_task& task, helping& by) noexcept;

/// For a worker that waits for all tasks of a scope: runs one of them that it has submitted
/// itself, the newest, if there is nothing newer. Returns whether there was one.
[[nodiscard]] bool help_one_of(const host_context& scope) noexcept;

/// For a worker that has helped: items of tasks that it has run go, where they are its newest.
void drop_items_passed_over() noexcept;

/// True if the calling thread is no worker but runs a task of the context while it waits.
[[nodiscard]] bool runs_in_a_waiter(const host_context& context) noexcept;

}  // namespace hocket::detail
