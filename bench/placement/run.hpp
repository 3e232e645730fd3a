// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>

#include <hocket/devices/sim.hpp>

#include "bound.hpp"
#include "problem.hpp"

namespace hocket::bench {

/// The outcome of one problem on one machine.
struct schedule {
  double makespan = 0;   ///< seconds on the machine's clock
  double bound = 0;      ///< seconds; see bounds
  double host_time = 0;  ///< seconds that simulating it took here, for each task
};

/// Runs the problem on the machine, on the virtual clock, without executing anything.
[[nodiscard]] schedule run(const problem& what, const sim_machine& machine,
                           const std::string& policy);

}  // namespace hocket::bench
