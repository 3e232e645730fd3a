// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "explain_trace.hpp"

namespace tools {

/// The causes for which a task waited between its submission and its begin.
enum class wait_cause : std::uint8_t {
  dependence,  ///< tasks before it
  data,        ///< copies that it needed
  link,        ///< these stood behind other copies
  memory,      ///< memory of its device was full
  lane,        ///< an earlier task ran in its lane
  other,       ///< its turn, another device, and the work of the scheduler
};
inline constexpr std::array<std::string_view, 6> names_of_causes{
    "tasks before it", "data", "links", "memory", "its lane", "its turn"};

/// How long a task waited, by cause.
struct task_waits {
  std::array<hocket::nanoseconds, names_of_causes.size()> by_cause{};

  [[nodiscard]] hocket::nanoseconds& of(wait_cause cause) {
    return by_cause[static_cast<std::size_t>(cause)];
  }
  [[nodiscard]] hocket::nanoseconds of(wait_cause cause) const {
    return by_cause[static_cast<std::size_t>(cause)];
  }
};

/// A task of the critical path of a run, or a copy for it: nothing could have begun earlier,
/// because of the part before it.
struct path_part {
  const hocket::traced_task* task = nullptr;  ///< null: a copy
  const hocket::traced_copy* copy = nullptr;
  hocket::nanoseconds gap{0};                  ///< since the part before it ended
  wait_cause behind = wait_cause::dependence;  ///< why it came after that
};

/// Finds what tasks waited for.
class wait_finder {
 public:
  explicit wait_finder(const recorded_run& run);

  [[nodiscard]] task_waits waits_of(const hocket::traced_task& t) const;
  /// The task before it that ended last, of those that the trace has; null if there is none.
  [[nodiscard]] const hocket::traced_task* last_before(const hocket::traced_task& t) const;
  /// The copy for it that ended last; null if there is none.
  [[nodiscard]] const hocket::traced_copy* last_copy(const hocket::traced_task& t) const;
  /// The task that ran before it in its lane.
  [[nodiscard]] const hocket::traced_task* before_in_lane(const hocket::traced_task& t) const;

  /// From the begin of the run to the end of the task that ended last.
  [[nodiscard]] std::vector<path_part> critical_path() const;

 private:
  struct stream_use {
    std::vector<const hocket::traced_task*> tasks;   ///< in the order of their begins
    std::vector<const hocket::traced_copy*> copies;  ///< likewise
  };

  [[nodiscard]] path_part behind(const hocket::traced_task& t) const;
  [[nodiscard]] path_part behind(const hocket::traced_copy& c) const;
  [[nodiscard]] const hocket::traced_task* writer_of(const hocket::traced_copy& c) const;
  /// The copy that brought there what this one takes on; null if there is none.
  [[nodiscard]] const hocket::traced_copy* first_half(const hocket::traced_copy& c) const;
  /// The task or copy that ended last before the copy was wanted: decisions come of ends.
  [[nodiscard]] path_part end_before_wanted(const hocket::traced_copy& c) const;

  const recorded_run& run_;
  std::vector<stream_use> streams_;
  std::vector<const hocket::traced_task*> tasks_by_end_;
  std::vector<const hocket::traced_copy*> copies_by_end_;
  std::unordered_map<std::uint64_t, std::vector<const hocket::traced_copy*>> copies_of_;
  std::unordered_map<std::uint64_t, std::vector<const hocket::traced_copy*>> copies_of_buffer_;
  std::unordered_map<std::uint64_t, std::vector<const hocket::traced_task*>> writers_of_;
};

}  // namespace tools
