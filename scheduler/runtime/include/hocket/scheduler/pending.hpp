// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <hocket/core/duration.hpp>
#include <hocket/devices/compilation.hpp>

namespace hocket {

/// How a task stands that has not ended. A view that is open counts as running.
enum class pending_state : std::uint8_t { waiting, ready, running };

/// One task that has not ended.
struct pending_task {
  std::string label;
  pending_state state = pending_state::waiting;
  /// What it waits for, by label, as parts of a sentence: `task "a"`. A task that runs may wait,
  /// too.
  std::vector<std::string> waits_for = {};
  std::string device = {};               ///< preferred or used; empty if none is known
  std::optional<time_stamp> since = {};  ///< when it was submitted, where that is known
};

/// What has not ended in a runtime. See runtime::pending.
///
/// ```cpp
/// runtime rt;
/// const future<void> slow = rt.async({.label = "slow"}, [] {});
/// std::printf("%s", to_string(rt.pending()).c_str());  // tasks, and what they wait for
/// ```
struct pending_report {
  std::vector<pending_task> tasks;
  /// What threads of the program wait for that run no task of the runtime, as parts of a sentence.
  std::vector<std::string> awaited_outside;
  /// Kernels that devices compile at this moment, in any runtime of the process: a task may be said
  /// to run while its device compiles.
  std::vector<compilation> compiled = {};
  /// How many tasks have not ended, whether they are listed or not. Ends of scopes count as tasks.
  std::size_t unfinished = 0;
  /// True if every task is listed.
  bool is_complete = false;
};

/// One line for each task, most 50 of them, and one for those that are not listed.
[[nodiscard]] std::string to_string(const pending_report& report);

}  // namespace hocket
