// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <string>

#include <hocket/devices/device.hpp>

#include "gpu/launch.hpp"

namespace hocket::gpu {

/// A device as its driver lists it.
struct described {
  device_info info;  ///< without its name
  launch_limits limits;
  std::string architecture;  ///< that programs are compiled for
  std::string machine_code;  ///< that the device runs: "sm_90"
};

/// The numbers by which a driver knows the properties of its devices.
struct attribute_numbers {
  int max_block_items, max_block_x, max_block_y, max_block_z;
  int multiprocessors, clock_khz, memory_clock_khz, memory_bus_bits;
  int pci_domain, pci_bus, pci_device;
  double lanes;  ///< of a multiprocessor, not a number of a property
};

/// Asks a driver about one device. A code other than success stays.
class questions {
 public:
  questions(const api& driver, device_number device) : driver_(driver), device_(device) {}

  /// Zero where the driver does not say.
  int number(int attribute);
  std::uint64_t memory();
  [[nodiscard]] code why() const noexcept { return why_; }

 private:
  const api& driver_;
  device_number device_;
  code why_ = success;
};

/// The name of the device, for people.
[[nodiscard]] std::string name_of(const api& driver, device_number device);

/// The properties of the device that both vendors' devices have; version is that of the driver.
/// Where the device cannot be used, `why` says it, as the end of a sentence that begins with its
/// name.
[[nodiscard]] described describe(const api& driver, device_number device,
                                 const attribute_numbers& numbers, const std::string& version,
                                 std::string& why);

}  // namespace hocket::gpu
