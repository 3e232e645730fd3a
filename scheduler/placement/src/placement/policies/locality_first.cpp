// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <tuple>

#include "placement/policies/policies.hpp"

namespace hocket::placement {

namespace {

class locality_first final : public placement_policy {
  [[nodiscard]] std::size_t choose(const placement_task& task) override {
    const auto by_copies = [](const placement_option& a) { return std::tuple(a.copies, a.end()); };
    return std::ranges::min_element(task.options, {}, by_copies)->device;
  }
};

}  // namespace

std::unique_ptr<placement_policy> make_locality_first() {
  return std::make_unique<locality_first>();
}

}  // namespace hocket::placement
