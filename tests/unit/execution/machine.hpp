// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include <hocket/execution/topology.hpp>

namespace hocket::testing {

/// A machine as hwloc describes it: "numa:2 core:2 pu:1". Not while other threads run.
inline std::shared_ptr<const host_topology> machine(const char* synthetic) {
  const char* const name = "HWLOC_SYNTHETIC";
  std::optional<std::string> before;
  if (const char* const set = std::getenv(name)) before = set;
  setenv(name, synthetic, 1);
  auto made = std::make_shared<const host_topology>();
  if (before)
    setenv(name, before->c_str(), 1);
  else
    unsetenv(name);
  return made;
}

}  // namespace hocket::testing
