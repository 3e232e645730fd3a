// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <optional>

#include "placement/device_view.hpp"

namespace hocket::placement {

/// Decides on which device a task runs, where it may run on several. It is asked when the task
/// could start, and again when a device is lost or stands idle. The same questions get the same
/// answers.
class placement_policy {
 public:
  placement_policy() = default;
  placement_policy(const placement_policy&) = delete;
  placement_policy& operator=(const placement_policy&) = delete;
  virtual ~placement_policy() = default;

  /// One of the devices that can run the task; none if there is none.
  [[nodiscard]] virtual std::optional<device_id> choose(const placed_task& t,
                                                        const device_view& devices) const = 0;

  /// True if the idle device, which can run the task, should take it from the queue where it is.
  [[nodiscard]] virtual bool should_steal(const placed_task& t, device_id idle,
                                          const device_view& devices) const = 0;
};

/// Where the task is predicted to end first; of equals the first device.
class earliest_end final : public placement_policy {
 public:
  [[nodiscard]] std::optional<device_id> choose(const placed_task& t,
                                                const device_view& devices) const override;
  [[nodiscard]] bool should_steal(const placed_task& t, device_id idle,
                                  const device_view& devices) const override;
};

}  // namespace hocket::placement
