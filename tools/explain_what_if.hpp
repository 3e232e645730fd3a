// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "explain_trace.hpp"

namespace tools {

/// A run that was simulated again, with one thing changed.
struct changed_run {
  std::string change;
  hocket::nanoseconds makespan{0};
};

struct what_if_answer {
  hocket::nanoseconds recorded{0};  ///< the makespan in the trace
  std::vector<changed_run> runs;    ///< the first is the run as it was
};

/// Simulates the run again: as it was, with one more of the busiest device, with faster links,
/// without copies, and by each policy, of which the best is kept. Throws error if it cannot be
/// simulated.
[[nodiscard]] what_if_answer ask_what_if(const recorded_run& run);

[[nodiscard]] std::string what_if_text(const what_if_answer& of);
[[nodiscard]] boost::json::object what_if_json(const what_if_answer& of);

}  // namespace tools
