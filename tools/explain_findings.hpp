// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "explain_waits.hpp"

namespace tools {

/// Findings about the run as a whole.
struct run_findings {
  std::vector<path_part> path;
  std::vector<const hocket::traced_task*> mispredicted;  ///< the worst first
  /// The task that waited longest, of each cause; null if none waited.
  std::array<const hocket::traced_task*, names_of_causes.size()> longest{};
  std::array<std::size_t, 7> chosen{};  ///< tasks, by traced_choice
};

[[nodiscard]] run_findings find_in(const recorded_run& run, const wait_finder& waits);

/// The tasks with this name, or with this number as their id.
[[nodiscard]] std::vector<const hocket::traced_task*> tasks_called(const recorded_run& run,
                                                                   const std::string& name);

/// Why the task ran where it did, as a sentence.
[[nodiscard]] std::string why_text(const recorded_run& run, const hocket::traced_task& of);

/// The sum that policies compare: the end of the candidate, and what is added to it.
[[nodiscard]] inline hocket::nanoseconds sum_of(const hocket::traced_candidate& of) {
  return of.end + of.links + of.staying + of.price;
}

// Both in one form for people and one for programs.
[[nodiscard]] std::string run_text(const recorded_run& run, const wait_finder& waits,
                                   const run_findings& found);
[[nodiscard]] std::string task_text(const recorded_run& run, const wait_finder& waits,
                                    const hocket::traced_task& of);
[[nodiscard]] boost::json::object run_json(const recorded_run& run, const wait_finder& waits,
                                           const run_findings& found);
[[nodiscard]] boost::json::object task_json(const recorded_run& run, const wait_finder& waits,
                                            const hocket::traced_task& of);

/// Such as "12.5 ms".
[[nodiscard]] std::string time_text(hocket::nanoseconds time);

}  // namespace tools
