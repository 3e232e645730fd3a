// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <hocket/core/trace.hpp>
#include <hocket/devices/fault_plan.hpp>
#include <hocket/devices/sim.hpp>

#include "problem.hpp"

namespace hocket::bench {

/// Where the buffers of a problem are before its first task.
enum class data_start : std::uint8_t {
  host,   ///< in the memory of the first device, the host
  spread  ///< on all devices, as the problem deals them out
};

struct run_setup {
  std::string policy = "replanning";
  data_start from = data_start::host;
  std::uint64_t seed = 0;  ///< of the virtual clock
  bool keep_spans = false;
  /// So many runs come before the one that counts, all of one recorded graph; 0: it is submitted.
  std::size_t earlier_runs = 0;
  bool survive = false;  ///< losses of devices
  fault_plan faults = {};
};

/// The outcome of one problem on one machine.
struct schedule {
  double makespan = 0;   ///< seconds on the machine's clock
  double host_time = 0;  ///< seconds that simulating it took here, for each task
  std::vector<device_info> devices;
  std::vector<trace_record> spans;  ///< of its commands, if they were to be kept
  std::size_t given_up = 0;         ///< as in the report
};

/// True if every command of one had the same time, task and stream in the other.
[[nodiscard]] bool same_spans(const schedule& one, const schedule& other);

/// Runs the problem on the machine, on the virtual clock, without executing anything.
[[nodiscard]] schedule run(const problem& what, const sim_machine& machine,
                           const run_setup& how = {});

}  // namespace hocket::bench
