// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include "placement/policies/policies.hpp"

namespace hocket::placement {

namespace {

class round_robin final : public placement_policy {
  [[nodiscard]] std::size_t choose(const placement_task& task) override {
    auto next = std::ranges::find_if(
        task.options, [this](const placement_option& each) { return each.device >= next_; });
    if (next == task.options.end()) next = task.options.begin();
    next_ = next->device + 1;
    return next->device;
  }

  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<placement_policy> make_round_robin() { return std::make_unique<round_robin>(); }

}  // namespace hocket::placement
