// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include "placement/policies/policies.hpp"

namespace hocket::placement {

namespace {

class ranked_earliest_end final : public placement_policy {
  [[nodiscard]] std::size_t choose(const placement_task& task) override {
    return std::ranges::min_element(task.options, {}, &placement_option::end)->device;
  }
  [[nodiscard]] placement_moment moment() const override { return placement_moment::by_rank; }
};

}  // namespace

std::unique_ptr<placement_policy> make_ranked_earliest_end() {
  return std::make_unique<ranked_earliest_end>();
}

}  // namespace hocket::placement
