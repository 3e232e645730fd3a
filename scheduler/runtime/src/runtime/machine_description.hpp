// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <hocket/devices/backend.hpp>

#include "placement/machine.hpp"

namespace hocket::detail {

/// What the placement engine is told of the devices, written down as they are connected: their
/// memories, their streams and the links between memories.
class machine_description {
 public:
  machine_description();

  [[nodiscard]] const placement::machine& told() const noexcept { return told_; }
  [[nodiscard]] const std::vector<device_info>& infos() const noexcept { return infos_; }
  [[nodiscard]] std::string stream_name(stream_id stream) const;
  /// The arena whose workers run what is given to the stream; no_arena for none.
  [[nodiscard]] std::uint32_t arena_of(stream_id stream) const noexcept {
    return arenas_[stream.value];
  }

  /// Numbers the streams of a device that is about to be connected.
  void add_streams(const device_info& info, device_numbers& numbers);
  /// The last device whose streams were added did not connect.
  void remove_streams(const device_numbers& numbers);
  /// The memory of a device is the host's.
  void set_host_memory(const device_info& info);
  [[nodiscard]] memory_id add_memory(const device_info& info);
  /// The device has connected.
  void add_device(const device_info& info, const device_numbers& numbers, memory_id memory);
  /// After the last device.
  void add_links();

 private:
  [[nodiscard]] stream_id add_stream(device_id device, std::size_t domain);
  [[nodiscard]] std::size_t domain_of(const std::string& name);
  [[nodiscard]] bool linked(std::size_t from, std::size_t to) const;

  placement::machine told_;
  std::vector<device_info> infos_;
  std::vector<std::uint32_t> arenas_;  ///< of each stream
  std::vector<std::string> domains_;
  std::vector<stream_id> inbound_;   ///< of each device
  std::vector<stream_id> outbound_;  ///< of each device
};

}  // namespace hocket::detail
