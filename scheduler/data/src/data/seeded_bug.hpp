// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

namespace hocket::detail {

/// Bugs that a test seeds, to see that they would be found. Only a build with HOCKET_SEEDED_BUGS
/// has them; elsewhere the conditions are constant and vanish.
enum class bug : int {
  none,
  forget_readers,        ///< a writer does not wait until the earlier readers were issued
  forget_writers,        ///< an update is ordered behind the writer, but not bound to its content
  drop_waits,            ///< a launch waits for nothing on the device
  keep_failed_outputs,   ///< what a failed task wrote counts as written
  commit_poisoned,       ///< a task that was issued behind a failing one ends well
  free_early,            ///< an evicted block is freed before its last command has ended
  never_return_budget,   ///< bytes of a budget do not come back
  forget_pins,           ///< a replica in use may be evicted
  hand_over_early,       ///< a command is handed over before what it waits for on other domains
  poison_out_of_order,   ///< the outputs of a cancelled task are poisoned at once
  ignore_external,       ///< the failure of a future that a task waits for is ignored
  trust_lost_copies,     ///< what was being copied from a lost device counts as there
  forget_views,          ///< a view counts as over when it has begun
  trust_copies_behind,   ///< a copy from where another one failed to bring its content is trusted
  look_at_input_once,    ///< not again when the task has waited for its memory
  issue_behind_refused,  ///< tasks read what a launch without memory for it was to write
};

#ifdef HOCKET_SEEDED_BUGS
void seed_bug(int number);
[[nodiscard]] bool seeded_bug(bug which);
#else
inline void seed_bug(int) {}
[[nodiscard]] constexpr bool seeded_bug(bug) { return false; }
#endif

}  // namespace hocket::detail
