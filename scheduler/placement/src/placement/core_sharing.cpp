// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/core_sharing.hpp"

#include <algorithm>

namespace hocket::placement {

core_sharing::core_sharing(const machine& of) : rivals_(of.devices.size()) {
  std::size_t of_nodes = 0;
  for (const machine::device_node& each : of.devices) {
    if (each.runs_host_tasks) of_nodes += each.host_cores;
    cores_ = std::max(cores_, each.host_cores);
  }
  // Nodes of the host have no core in common.
  cores_ = std::max(cores_, of_nodes);
  for (std::size_t i = 0; i < rivals_.size(); ++i) {
    const std::size_t own = of.devices[i].host_cores;
    for (std::size_t j = 0; j < rivals_.size(); ++j) {
      const std::size_t others = of.devices[j].host_cores;
      if (i == j || own == 0 || others == 0 || own + others <= cores_) continue;
      const auto common = static_cast<double>(own + others - cores_);
      rivals_[i].push_back(
          {device_id{j}, common / static_cast<double>(own), common / static_cast<double>(others)});
    }
  }
}

}  // namespace hocket::placement
