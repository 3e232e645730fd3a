// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>
#include <vector>

#include <hocket/devices/sim.hpp>

#include "explain_trace.hpp"

namespace tools {

/// Launches of one kernel and one amount of work, and how long they take on each device: the median
/// of what was measured there, else of what was predicted, times how wrong predictions were where
/// the launches ran.
struct launch_kind {
  std::vector<double> nanoseconds_on;  ///< each device; 0: it cannot run them
  bool is_wide = false;
};

/// The kinds of launches in a run.
class launch_kinds {
 public:
  explicit launch_kinds(const recorded_run& run);

  [[nodiscard]] std::size_t kind_of(const hocket::traced_task& t) const {
    return kinds_of_tasks_[t.number];
  }
  /// How many times the median the launch took on its device.
  [[nodiscard]] double length_of(const hocket::traced_task& t) const;
  [[nodiscard]] static std::string name_of(std::size_t kind);
  /// The machine of the run, whose devices take these times for kernels with these names and a work
  /// of unit_of_work times the length.
  [[nodiscard]] hocket::sim_machine machine() const;

  static constexpr double unit_of_work = 1e6;

 private:
  [[nodiscard]] hocket::sim_options device(std::size_t number) const;

  const recorded_run& run_;
  std::vector<launch_kind> kinds_;
  std::vector<std::size_t> kinds_of_tasks_;
};

}  // namespace tools
