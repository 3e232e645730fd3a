// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include "placement/placement_policy.hpp"

namespace hocket::placement {

/// Where the task is predicted to end first when it could start; of equals the first device. An
/// idle device takes tasks that would end there earlier.
class earliest_end final : public placement_policy {
 public:
  [[nodiscard]] std::optional<device_id> choose(const placed_task& t,
                                                const device_view& devices) const override;
  [[nodiscard]] bool should_steal(const placed_task& t, device_id idle,
                                  const device_view& devices) const override;
};

}  // namespace hocket::placement
