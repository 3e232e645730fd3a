// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include <hocket/execution/seed.hpp>

#include "placement/policies/policies.hpp"

namespace hocket::placement {

namespace {

/// How often the device should be taken, next to others.
double share_of(const placement_option& at) {
  return static_cast<double>(at.lanes) /
         static_cast<double>(std::max<nanoseconds::rep>(at.time.count(), 1));
}

class random_choice final : public placement_policy {
  [[nodiscard]] std::size_t choose(const placement_task& task) override {
    std::uint64_t state = task.number;
    const double from_0_to_1 = static_cast<double>(splitmix64(state) >> 11U) * 0x1p-53;
    double all = 0;
    for (const placement_option& each : task.options) all += share_of(each);
    double left = from_0_to_1 * all;
    for (const placement_option& each : task.options) {
      left -= share_of(each);
      if (left < 0) return each.device;
    }
    return task.options.back().device;
  }
};

}  // namespace

std::unique_ptr<placement_policy> make_random() { return std::make_unique<random_choice>(); }

}  // namespace hocket::placement
