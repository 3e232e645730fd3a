// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <hocket/execution/topology.hpp>
#include <hocket/scheduler/report.hpp>
#include <hocket/scheduler/runtime.hpp>

#include "disturbance.hpp"
#include "program.hpp"

namespace hocket::seeded {

struct run_settings {
  std::shared_ptr<const host_topology> topology;
  bool real_clock = false;    ///< over threads; what is checked is the same
  bool real_devices = false;  ///< those of this machine, and no simulated ones
  std::string devices;        ///< the names of the real devices; empty for all
  bool in_place = false;      ///< on the host alone, without a placement engine
  bool survives = false;      ///< devices are lost, and everything has to be as if they were not
  bool speculates = false;    ///< devices are slow by chance, and launches that are late run twice
  bool looks_at_memory = false;  ///< of devices, after each step
  bool has_other = false;        ///< another program runs on the same devices
  /// Makes what happens to each program from outside; empty for nothing.
  std::function<std::unique_ptr<disturbance>(runtime&, const program&, const run_settings&)>
      disturb;
};

/// How a run ended.
struct run_result {
  std::string wrong;  ///< the first difference from the interpreter; empty if there is none
  runtime_report report;
};

/// Runs the program on a runtime and compares everything that can be seen of it with the
/// interpreter.
[[nodiscard]] run_result run_and_compare(const program& made, const run_settings& settings);

}  // namespace hocket::seeded
