// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hocket/devices/host_device.hpp>

namespace hocket {

/// How the times of launches on a simulated device differ from what its rates say. The same
/// launches take the same times in every run.
struct sim_deviation {
  /// Times are multiplied by numbers with the mean 1, whose logarithms have this standard
  /// deviation.
  double noise = 0;
  std::uint64_t first_launches = 0;  ///< of each kernel; they take first_factor times as long
  double first_factor = 1;
  nanoseconds later{0};     ///< launches that start at this time of the clock, or after it,
  double later_factor = 1;  ///< take so many times as long

  friend bool operator==(const sim_deviation&, const sim_deviation&) = default;
};

/// The properties of a simulated device. A rate or latency that is not given takes no time on a
/// real clock; on a virtual one it is that of device_info.
struct sim_options {
  std::string model;  ///< for people; may be empty
  std::uint64_t memory_bytes = std::uint64_t{256} << 20U;
  std::optional<double> flops_per_second;         ///< of one lane
  std::optional<double> memory_bytes_per_second;  ///< of one lane
  std::optional<double> link_bytes_per_second;    ///< each way
  std::optional<nanoseconds> link_latency;
  std::optional<double> peer_bytes_per_second;  ///< from another device; absent: the link's
  std::optional<nanoseconds> peer_latency;
  std::vector<kernel_rate> kernel_rates;
  std::optional<std::size_t> bus;  ///< in the machine; the way to the host that others use as well
  std::optional<nanoseconds> launch_latency;
  std::size_t lanes = 1;
  std::optional<std::size_t> depth;  ///< absent: two on a real clock, one on a virtual one
  bool execute = true;               ///< false: kernels and copies take their time but do nothing
  bool shares_host_memory = false;
  bool peer_copies = true;     ///< false: copies to another device go through the host
  double watts = 0;            ///< that it takes while it works; 0: unknown
  std::size_t host_cores = 0;  ///< see device_info
  sim_deviation deviation;

  friend bool operator==(const sim_options&, const sim_options&) = default;
};

/// A link that several devices have between themselves and the host. Copies over it go one after
/// another, in the order in which they start.
struct sim_bus {
  std::string name;
  double bytes_per_second = 1e10;  ///< each way, or in all
  bool duplex = true;              ///< copies to the host do not hold up copies from it

  friend bool operator==(const sim_bus&, const sim_bus&) = default;
};

/// The devices of a simulated machine and what they share.
struct sim_machine {
  std::string name;
  std::vector<sim_options> devices;
  std::vector<sim_bus> buses;

  friend bool operator==(const sim_machine&, const sim_machine&) = default;
};

/// Reads the configuration of the backend: "machine=" and a file, or the name of a machine that is
/// built in, with ",execute=no" behind it if nothing is to be executed; or groups, separated by
/// semicolons, of a number of devices and what they are like, for example
/// "2,memory=256M,flops=10G,bandwidth=100G,link=10G,latency=5us,launch=2us,lanes=1,depth=1" or
/// "1,flops=1G;1,flops=3G,execute=no,shared=yes". A rate of 0 is as good as none. Throws
/// usage_error.
[[nodiscard]] sim_machine parse_sim_configuration(std::string_view configuration);

/// Reads a machine from the text of a machine file: see docs/machines.md. Messages name its source.
/// Throws usage_error.
[[nodiscard]] sim_machine parse_machine(std::string_view text, const std::string& source);

/// Reads a machine file, or a machine that is built in if it has such a name. Throws usage_error.
[[nodiscard]] sim_machine find_machine(const std::string& name_or_file);

/// The text of a machine file with this machine.
[[nodiscard]] std::string to_json(const sim_machine& machine, const std::string& source);

/// The names of the machines that are built in.
[[nodiscard]] std::vector<std::string> built_in_machines();

/// A simulated device, and what tests do to it. All functions may be called by any thread.
class sim_device final : public host_device {
 public:
  struct faults;
  sim_device(host_device_parts parts, std::shared_ptr<faults> injected,
             const device_numbers& numbers, executor& where, completion_sink& sink);

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
