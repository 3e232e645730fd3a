// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
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
        sharing_(machine),
        fixed_(fixed_parts(machine, sharing_)),
        loads_(machine.devices.size()) {}

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
    return fixed_[device.value].is_plain ? own_backlog_of_lane(device)
                                         : backlog_with_rivals(device);
  }
  /// The devices that use the same cores of the host.
  [[nodiscard]] std::span<const core_sharing::rival> rivals(device_id device) const {
    return sharing_.rivals(device);
  }
  /// The share of the last while in which the links to and from the device were busy, the busier
  /// of the two.
  [[nodiscard]] double load_of_links(device_id device) const {
    known_load& known = loads_[device.value];
    if (known.moment != commands_.moment()) known = {commands_.moment(), find_load(device)};
    return known.load;
  }
  /// The price of a second of one of its lanes: more than one if other devices suit the pending
  /// work less. See device_prices.
  [[nodiscard]] double price(device_id device) const { return prices_.of(device); }
  /// How much prices matter, from 0 to 1.
  [[nodiscard]] double weight_of_prices() const { return prices_.weight(); }
  /// How many tasks more should be queued at the device, so that it does not stand idle while data
  /// move.
  [[nodiscard]] std::size_t room(device_id device) const {
    const std::size_t counted = counted_room(device);
    return counted != depends_on_time ? counted : is_short(device) ? 1 : 0;
  }
  /// True if the room of the device is more than that. Asks for its backlog only where it has to.
  [[nodiscard]] bool has_more_room(device_id device, std::size_t than) const {
    const std::size_t counted = counted_room(device);
    return counted != depends_on_time ? counted > than : than == 0 && is_short(device);
  }

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
  struct known_load {
    std::uint64_t moment = 0;  ///< in_flight_table::moment()
    double load = 0;
  };
  [[nodiscard]] double find_load(device_id device) const;
  static constexpr std::size_t depends_on_time = std::numeric_limits<std::size_t>::max();

  /// The room as far as the number of tasks says what it is.
  [[nodiscard]] std::size_t counted_room(device_id device) const {
    constexpr std::size_t least = 2, most = 16;  // for each lane
    const device_record& d = devices_[device.value];
    const std::size_t own_lanes = fixed_[device.value].lanes;
    // Of a line one task is next, and may come after a task that waits for this room.
    const std::size_t behind = d.in_line > 0 ? d.in_line - 1 : 0;
    const std::size_t committed = tasks(device) - behind;
    if (!d.is_used() || committed >= most * own_lanes) return 0;
    return committed < least * own_lanes ? least * own_lanes - committed : depends_on_time;
  }
  /// True if the device is done with all it has before data for one more task may be there.
  [[nodiscard]] bool is_short(device_id device) const {
    // Over busy links data may come late; where links are idle, tasks are better decided late.
    const fixed_part& fixed = fixed_[device.value];
    const nanoseconds copy = model_.copies().usual(), there = backlog(device);
    if (there < std::max(copy, 2 * fixed.ahead)) return true;
    if (there >= 4 * copy || fixed.uses_host_memory) return false;
    const double load = std::min(1.0, 2 * load_of_links(device));
    const auto usual = static_cast<double>(copy.count());
    const nanoseconds moving(static_cast<nanoseconds::rep>((1 + 3 * load) * usual));
    return there < moving;
  }
  /// Of a device with one lane.
  [[nodiscard, gnu::always_inline]] nanoseconds own_backlog_of_lane(device_id device) const {
    return limited_sum(devices_[device.value].queued.value(),
                       commands_.remaining(fixed_[device.value].lane));
  }
  [[nodiscard]] nanoseconds own_backlog(device_id device) const;
  [[nodiscard]] nanoseconds backlog_with_rivals(device_id device) const;
  /// The facts of a device that are asked for often and do not change.
  struct fixed_part {
    std::size_t lanes = 1;
    stream_id lane;     ///< the first
    stream_id in, out;  ///< links to and from the host; not valid: there is none
    nanoseconds ahead{0};
    bool uses_host_memory = false;
    bool is_plain = false;  ///< one lane, and no other device on the same cores
  };
  [[nodiscard]] static std::vector<fixed_part> fixed_parts(const machine& of,
                                                           const core_sharing& sharing);

  const machine& machine_;
  const cost_model& model_;
  const task_cost_table& costs_;
  const in_flight_table& commands_;
  const lane_table& lanes_;
  const device_prices& prices_;
  const std::vector<device_record>& devices_;
  core_sharing sharing_;
  std::vector<fixed_part> fixed_;          ///< of each device
  mutable std::vector<known_load> loads_;  ///< likewise
};

}  // namespace hocket::placement
