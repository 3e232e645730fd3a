// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <vector>

#include "placement/device_view.hpp"

namespace hocket::placement {

/// When each device is done with what it has and what is planned for it, for how many tasks more it
/// has room, and the devices in the order in which they are free.
class device_plans {
 public:
  /// Looks at devices as they are, for the next round. Returns true if a device has more room than
  /// was left in the last round, or if there was none.
  bool look_at(const device_view& devices);
  /// The answer of look_at(), at less cost.
  [[nodiscard]] bool have_gained(const device_view& devices) const;
  /// A round begins with the devices as look_at() saw them, in the same step: nothing is planned.
  /// Room that was left in the last round counts as useless if rooms_stay_useless, unless there is
  /// more now.
  void begin(const device_view& devices, bool rooms_stay_useless);

  /// The room of all devices, as it was seen, or as it is left in the round.
  [[nodiscard]] std::size_t rooms() const noexcept { return rooms_; }
  /// Room of devices that is not useless to the tasks of the last round.
  [[nodiscard]] std::size_t useful_rooms() const noexcept { return useful_rooms_; }
  [[nodiscard]] std::size_t room(device_id device) const { return of_[device.value].room; }
  void take_room(device_id device);

  /// From now on.
  [[nodiscard]] nanoseconds free_at(device_id device) const { return of_[device.value].free_at; }
  /// The device is free later.
  void put_off(device_id device, nanoseconds until);

  /// True if the device is free earlier; of equals the first comes first.
  [[nodiscard]] bool comes_before(device_id a, device_id b) const {
    return free_device{free_at(a), a} < free_device{free_at(b), b};
  }
  struct free_device {
    nanoseconds at{0};
    device_id device;
    friend bool operator<(const free_device& a, const free_device& b) noexcept {
      return a.at != b.at ? a.at < b.at : a.device < b.device;
    }
  };
  /// Devices in that order.
  [[nodiscard]] const std::vector<free_device>& in_order() const noexcept { return order_; }

 private:
  struct plan {
    nanoseconds free_at{0};
    std::size_t room = 0;
    std::size_t seen_room = 0;
    bool is_useless = false;
  };

  void sort_seen();

  std::vector<plan> of_;
  std::vector<free_device> seen_order_;  ///< when the last round began
  std::vector<free_device> order_;
  std::size_t rooms_ = 0;
  std::size_t useful_rooms_ = 0;
};

}  // namespace hocket::placement
