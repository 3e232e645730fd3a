// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <optional>

#include "placement/engine_state.hpp"

namespace hocket::placement {

/// True if the kernel replaces the whole region.
[[nodiscard]] inline bool only_writes(const task_access& a) noexcept {
  return writes_content(a.mode) && !reads_content(a.mode);
}
[[nodiscard]] inline bool only_reads(const task_access& a) noexcept {
  return !writes_content(a.mode);
}

/// Which tasks may have a duplicate, and where. Nothing changes by these questions.
class duplicate_rules {
 public:
  explicit duplicate_rules(const engine_state& state) : s_(state) {}

  /// True if the launch may run twice, and no other task has changed its input or its outputs.
  [[nodiscard]] bool may_have_one(const placed_task& t) const;
  /// True if a task was issued behind the first run, waits for that on its device, and reads what
  /// that writes.
  [[nodiscard]] bool has_issued_reader(const placed_task& t) const;
  /// True if all of the region is the version that the task writes.
  [[nodiscard]] bool is_sole_writer(const placed_task& t, const task_access& a) const;
  /// True if no command that has not ended uses the region in that memory.
  [[nodiscard]] bool is_untouched(const task_access& a, memory_id memory) const;

  struct candidate {
    device_id device;
    nanoseconds time;  ///< of the launch and its copies
  };
  /// The idle device where the task would end first; none if none can run it.
  [[nodiscard]] std::optional<candidate> best_device(const placed_task& t) const;
  /// The memory that still has what the task updates as it was before, `to` itself if that has it.
  [[nodiscard]] std::optional<memory_id> older_content(const placed_task& t, std::size_t access,
                                                       memory_id to) const;

 private:
  [[nodiscard]] bool is_read_as_it_is(const placed_task& t, const task_access& a) const;
  [[nodiscard]] bool is_free_for(const placed_task& t, device_id device) const;
  [[nodiscard]] bool has_room(const placed_task& t, memory_id memory) const;
  [[nodiscard]] std::optional<nanoseconds> time_to_move(const placed_task& t,
                                                        memory_id memory) const;
  [[nodiscard]] nanoseconds time_of_copy(memory_id from, memory_id to, std::uint64_t bytes) const;

  const engine_state& s_;
};

}  // namespace hocket::placement
