// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <hocket/core/result.hpp>
#include <hocket/devices/device.hpp>
#include <hocket/execution/executor.hpp>

namespace hocket {

/// Numbers that a device gives its streams and itself when it reports to the sink.
struct device_numbers {
  device_id device;
  std::vector<stream_id> compute;  ///< one for each lane
  stream_id inbound;
  stream_id outbound;
  /// For a device that imports_host_memory: the allocations in its commands are the host's, and it
  /// need have no memory of its own.
  bool uses_host_memory = false;
};

/// A device that was found and can be connected; nothing was started yet.
class device_candidate {
 public:
  virtual ~device_candidate() = default;
  [[nodiscard]] virtual const device_info& info() const noexcept = 0;

  /// Starts the device. The executor and the sink outlive it.
  [[nodiscard]] virtual result<std::unique_ptr<device>> connect(const device_numbers& numbers,
                                                                executor& where,
                                                                completion_sink& sink) const = 0;
};

/// The devices that a backend finds.
struct found_devices {
  std::vector<std::unique_ptr<device_candidate>> usable;  ///< in a fixed order
  /// A sentence for each device and driver that is there and cannot be used: its name, and why.
  std::vector<std::string> left_out;
};

/// The code that speaks one API. Has no state of its own.
class backend {
 public:
  virtual ~backend() = default;
  [[nodiscard]] virtual std::string name() const = 0;

  /// The devices there are. A missing driver is an empty list, and why_none says what is missing
  /// and what to install; a driver that fails or talks nonsense never throws, but is left out.
  /// configuration is the part of the runtime's options that is meant for this backend, for example
  /// "2,memory=256M,flops=1G" for `sim`; a wrong one throws usage_error.
  [[nodiscard]] virtual found_devices find(const executor& where,
                                           const std::string& configuration) const = 0;
  [[nodiscard]] virtual std::string why_none() const = 0;
};

}  // namespace hocket
