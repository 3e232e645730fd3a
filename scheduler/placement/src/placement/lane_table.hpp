// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <vector>

#include "placement/in_flight_table.hpp"
#include "placement/machine.hpp"
#include "placement/number_set.hpp"
#include "placement/time_counts.hpp"

namespace hocket::placement {

/// How full the lanes of each device are. A lane is a compute stream. It accepts one more command
/// while it has fewer than the device's depth, or while its commands are predicted to take less
/// than the device wants ahead of it; then it is filled at one go and again when half is done.
class lane_table {
 public:
  explicit lane_table(const machine& machine);

  /// The command was planned, or has ended, and its stream has this load now. Streams that are no
  /// lanes are left out.
  void planned(const command_record& record, stream_load now) { note(record, 1, now); }
  void ended(const command_record& record, stream_load now) { note(record, -1, now); }
  /// The device is lost with all its commands.
  void lose(device_id device);

  /// The device is there again, with nothing in flight.
  void reopen(device_id device);

  /// Numbers of the lanes that accept one more command.
  [[nodiscard]] const number_set& open(device_id device) const { return of(device).open; }
  /// True if no command is in flight.
  [[nodiscard]] bool is_idle(device_id device) const { return of(device).in_flight == 0; }
  [[nodiscard]] std::size_t in_flight(device_id device) const { return of(device).in_flight; }
  /// The predicted time of the commands in flight, on all lanes.
  [[nodiscard]] nanoseconds backlog(device_id device) const { return of(device).backlog.value(); }
  [[nodiscard]] bool is_lane_of(stream_id stream, device_id device) const {
    return lanes_[stream.value].device == &of(device);
  }

 private:
  struct device_load {
    explicit device_load(std::size_t lanes) : open(lanes) {}

    number_set open;
    std::size_t in_flight = 0;
    time_sum backlog;
  };
  struct lane {
    device_load* device = nullptr;  ///< null: the stream is no lane
    std::size_t number = 0;         ///< among those of the device
    std::size_t depth = 1;          ///< as of the device
    nanoseconds ahead{0};           ///< as of the device
    std::size_t unmeasured = 0;     ///< number of its commands in flight that were not measured
    std::size_t alone = 0;          ///< likewise, behind which no other may queue
    bool is_filling = true;
    bool is_open = true;  ///< accepts one more
  };

  void note(const command_record& record, int count, stream_load now);
  [[nodiscard]] const device_load& of(device_id device) const { return devices_[device.value]; }

  std::vector<device_load> devices_;
  std::vector<lane> lanes_;  ///< for each stream
};

}  // namespace hocket::placement
