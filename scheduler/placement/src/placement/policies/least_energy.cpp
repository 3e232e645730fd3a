// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <tuple>

#include "placement/policies/policies.hpp"

namespace hocket::placement {

namespace {

/// What one lane of the device takes for the task, in nanojoules. A device whose power is not known
/// takes none.
double energy_at(const placement_option& at) {
  return at.watts * static_cast<double>(at.time.count()) / static_cast<double>(at.lanes);
}

class least_energy final : public placement_policy {
  [[nodiscard]] std::size_t choose(const placement_task& task) override {
    const auto by_energy = [](const placement_option& a) {
      return std::tuple(energy_at(a), a.end());
    };
    return std::ranges::min_element(task.options, {}, by_energy)->device;
  }
};

}  // namespace

std::unique_ptr<placement_policy> make_least_energy() { return std::make_unique<least_energy>(); }

}  // namespace hocket::placement
