// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <tuple>

#include "placement/policies/policies.hpp"

namespace hocket::placement {

namespace {

class work_stealing final : public placement_policy {
  [[nodiscard]] std::size_t choose(const placement_task& task) override {
    const auto by_data = [](const placement_option& a) { return std::tuple(a.copies, a.tasks); };
    return std::ranges::min_element(task.options, {}, by_data)->device;
  }
  [[nodiscard]] bool moves_tasks() const override { return true; }
  [[nodiscard]] bool should_move(const placement_task& /*task*/, const placement_option& /*from*/,
                                 const placement_option& /*to*/) override {
    return true;
  }
};

}  // namespace

std::unique_ptr<placement_policy> make_work_stealing() { return std::make_unique<work_stealing>(); }

}  // namespace hocket::placement
