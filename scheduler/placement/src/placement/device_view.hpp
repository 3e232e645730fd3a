// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <vector>

#include <hocket/memory/coherence.hpp>

#include "placement/cost_model.hpp"
#include "placement/device_record.hpp"
#include "placement/lane_table.hpp"
#include "placement/machine.hpp"
#include "placement/replica_store.hpp"

namespace hocket::placement {

/// What a placement policy can ask about the devices. Nothing changes by it.
class device_view {
 public:
  device_view(const machine& machine, const cost_model& costs, const coherence& content,
              const replica_store& replicas, const lane_table& lanes,
              const std::vector<device_record>& devices)
      : machine_(machine),
        costs_(costs),
        content_(content),
        replicas_(replicas),
        lanes_(lanes),
        devices_(devices) {}

  /// Devices have the numbers below this.
  [[nodiscard]] std::size_t count() const noexcept { return devices_.size(); }
  /// True if the device is there and has a body for the task, and the buffers of the task fit into
  /// its memory.
  [[nodiscard]] bool can_run(const request& r, device_id device) const;
  /// When the task would end there, from now on: after what is queued and in flight, and after the
  /// copies that it needs. The device can run it.
  [[nodiscard]] nanoseconds predicted_end(const placed_task& t, device_id device) const;

 private:
  const machine& machine_;
  const cost_model& costs_;
  const coherence& content_;
  const replica_store& replicas_;
  const lane_table& lanes_;
  const std::vector<device_record>& devices_;
};

}  // namespace hocket::placement
