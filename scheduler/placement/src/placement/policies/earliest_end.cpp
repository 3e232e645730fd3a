// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include "placement/policies/policies.hpp"

namespace hocket::placement {

namespace {

class earliest_end final : public placement_policy {
  [[nodiscard]] std::size_t choose(const placement_task& task) override {
    return std::ranges::min_element(task.options, {}, &placement_option::end)->device;
  }
  [[nodiscard]] bool moves_tasks() const override { return true; }
  [[nodiscard]] bool should_move(const placement_task& /*task*/, const placement_option& from,
                                 const placement_option& to) override {
    return to.end() < from.end();
  }
};

}  // namespace

std::unique_ptr<placement_policy> make_earliest_end() { return std::make_unique<earliest_end>(); }

}  // namespace hocket::placement
