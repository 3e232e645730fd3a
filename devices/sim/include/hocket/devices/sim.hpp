// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <hocket/devices/host_device.hpp>

namespace hocket {

/// The properties of a simulated device. A rate or latency that is not given takes no time on a
/// real clock; on a virtual one it is that of device_info.
struct sim_options {
  std::uint64_t memory_bytes = std::uint64_t{256} << 20U;
  std::optional<double> flops_per_second;         ///< of one lane
  std::optional<double> memory_bytes_per_second;  ///< of one lane
  std::optional<double> link_bytes_per_second;    ///< each way
  std::optional<nanoseconds> link_latency;
  std::optional<nanoseconds> launch_latency;
  std::size_t lanes = 1;
  std::optional<std::size_t> depth;  ///< absent: two on a real clock, one on a virtual one
  bool execute = true;               ///< false: kernels and copies take their time but do nothing
  bool shares_host_memory = false;
  bool peer_copies = true;  ///< false: copies to another device go through the host

  friend bool operator==(const sim_options&, const sim_options&) = default;
};

/// Reads the configuration of the backend into one element for each device: groups, separated by
/// semicolons, of a number of devices and what they are like, for example
/// "2,memory=256M,flops=10G,bandwidth=100G,link=10G,latency=5us,launch=2us,lanes=1,depth=1" or
/// "1,flops=1G;1,flops=3G,execute=no,shared=yes". A rate of 0 is as good as none. Throws
/// usage_error.
[[nodiscard]] std::vector<sim_options> parse_sim_options(std::string_view configuration);

/// A simulated device, and what tests do to it. All functions may be called by any thread.
class sim_device final : public host_device {
 public:
  struct faults;
  sim_device(host_device_parts parts, std::shared_ptr<faults> injected,
             const device_numbers& numbers, executor& where, completion_sink& sink);

  /// The device is lost, for the reason given.
  void lose(const failure& why);

  /// The nth launch from now that starts on this device (1 is the next) fails, without being run.
  void fail_launch(std::uint64_t nth, const failure& why);

  /// While this is on, the device has no memory for anything, whatever its limit says.
  void refuse_memory(bool on);

 private:
  std::shared_ptr<faults> faults_;
};

/// Devices that exist in the configuration alone: `Sim0`, ... with memories and copy engines of
/// their own. Without a configuration there are none.
[[nodiscard]] std::unique_ptr<const backend> make_sim_backend();

}  // namespace hocket
