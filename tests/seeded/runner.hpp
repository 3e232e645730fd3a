// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <string>

#include <hocket/execution/topology.hpp>

#include "program.hpp"

namespace hocket::seeded {

struct run_settings {
  std::shared_ptr<const host_topology> topology;
  bool real_clock = false;  ///< over threads; what is checked is the same
  bool in_place = false;    ///< on the host alone, without a placement engine
  bool drains = false;      ///< devices are drained and resumed, which must not show
  bool has_other = false;   ///< another program runs on the same devices
  bool survives = false;    ///< devices are lost, and everything has to be as if they were not
};

/// Runs the program on a runtime and compares everything that can be seen of it with the
/// interpreter. Returns what is wrong; empty if nothing is.
[[nodiscard]] std::string run_and_compare(const program& made, const run_settings& settings);

}  // namespace hocket::seeded
