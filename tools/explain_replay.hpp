// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>

#include <hocket/devices/sim.hpp>

#include "explain_kernels.hpp"
#include "explain_trace.hpp"

namespace tools {

/// Submits the tasks of a recorded run again, on a simulated machine whose first devices are those
/// of the run, and returns the makespan there. What the program waited for between two submissions
/// is found by what had ended then, and its own time between them is kept. Nothing is executed.
[[nodiscard]] hocket::nanoseconds replay(const recorded_run& run, const launch_kinds& kinds,
                                         hocket::sim_machine machine, const std::string& policy);

}  // namespace tools
