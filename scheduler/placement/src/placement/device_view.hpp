// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "placement/core_sharing.hpp"
#include "placement/cost_model.hpp"
#include "placement/device_prices.hpp"
#include "placement/device_record.hpp"
#include "placement/lane_table.hpp"
#include "placement/machine.hpp"
#include "placement/replica_store.hpp"
#include "placement/task_costs.hpp"
#include "placement/time_counts.hpp"

namespace hocket::placement {

/// What a placement policy can ask about the devices. Nothing changes by it.
class device_view {
 public:
  device_view(const machine& machine, const cost_model& model, const task_cost_table& costs,
              const in_flight_table& commands, const lane_table& lanes, const device_prices& prices,
              const std::vector<device_record>& devices)
      : machine_(machine),
        model_(model),
        costs_(costs),
        commands_(commands),
        lanes_(lanes),
        prices_(prices),
        devices_(devices),
        sharing_(machine) {}

  /// Devices have the numbers below this.
  [[nodiscard]] std::size_t count() const noexcept { return devices_.size(); }
  /// See task_cost_table.
  [[nodiscard]] bool can_run(const request& r, device_id device) const {
    return costs_.can_run(r, device);
  }
  [[nodiscard]] bool could_run(const request& r, device_id device) const {
    return costs_.could_run(r, device);
  }
  [[nodiscard]] bool can_bind_in_place(const request& r, device_id device) const {
    return costs_.can_bind_in_place(r, device);
  }
  [[nodiscard]] std::size_t lanes(device_id device) const {
    return machine_.devices[device.value].compute.size();
  }
  /// The number of those that the device was given and that have not ended.
  [[nodiscard]] std::size_t tasks(device_id device) const {
    return devices_[device.value].waiting + lanes_.in_flight(device);
  }
  /// The power of the device while it works; 0: unknown.
  [[nodiscard]] double watts(device_id device) const {
    return machine_.devices[device.value].watts;
  }
  /// When a lane of the device is done with what is queued and in flight, from now on.
  /// Work of other devices on the same cores of the host comes first.
  [[nodiscard]] nanoseconds backlog(device_id device) const {
    nanoseconds sum = own_backlog(device);
    for (const core_sharing::rival& each : sharing_.rivals(device)) {
      sum = limited_sum(sum, rounded(each.takes * placement::count(own_backlog(each.device))));
    }
    return sum;
  }
  /// The devices that use the same cores of the host.
  [[nodiscard]] std::span<const core_sharing::rival> rivals(device_id device) const {
    return sharing_.rivals(device);
  }
  /// The share of the last while in which the links to and from the device were busy, the busier
  /// of the two.
  [[nodiscard]] double load_of_links(device_id device) const;
  /// The price of a second of one of its lanes: more than one if other devices suit the pending
  /// work less. See device_prices.
  [[nodiscard]] double price(device_id device) const { return prices_.of(device); }
  /// How much prices matter, from 0 to 1.
  [[nodiscard]] double weight_of_prices() const { return prices_.weight(); }
  /// How many tasks more should be queued at the device, so that it does not stand idle while data
  /// move.
  [[nodiscard]] std::size_t room(device_id device) const { return room(device, backlog(device)); }
  /// The room of a device whose backlog is known.
  [[nodiscard]] std::size_t room(device_id device, nanoseconds backlog) const;

  /// In nanoseconds, the time of such a launch and weight times what it costs by the price of a
  /// lane, where that is least. The weight changes only when prices do.
  [[nodiscard]] double least_cost(launch_times& times, double weight) const;

  /// The costs of the task on the devices. Valid until the next call.
  [[nodiscard]] task_costs costs(const placed_task& t) const { return costs_.of(t); }
  /// When all that the task reads is there, from now on, if its copies begin behind those that
  /// their links have to make already.
  [[nodiscard]] nanoseconds arrival(const data_cost& cost, device_id device) const {
    return costs_.arrival(cost, device);
  }

 private:
  [[nodiscard]] nanoseconds own_backlog(device_id device) const {
    const machine::device_node& node = machine_.devices[device.value];
    nanoseconds sum = devices_[device.value].queued.value();
    for (const stream_id lane : node.compute) sum = limited_sum(sum, commands_.remaining(lane));
    const std::size_t lanes = node.compute.size();
    return lanes == 1 ? sum : sum / static_cast<std::int64_t>(lanes);
  }

  const machine& machine_;
  const cost_model& model_;
  const task_cost_table& costs_;
  const in_flight_table& commands_;
  const lane_table& lanes_;
  const device_prices& prices_;
  const std::vector<device_record>& devices_;
  core_sharing sharing_;
};

}  // namespace hocket::placement
