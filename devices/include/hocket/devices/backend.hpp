// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <hocket/core/result.hpp>
#include <hocket/devices/adopted.hpp>
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
  using connector = std::function<result<std::unique_ptr<device>>(
      const device_numbers& numbers, executor& where, completion_sink& sink)>;

  /// is_adopted: it works in an object of the program.
  device_candidate(device_info info, connector connect, bool is_adopted = false)
      : info_(std::move(info)), connect_(std::move(connect)), is_adopted_(is_adopted) {}

  [[nodiscard]] const device_info& info() const noexcept { return info_; }
  [[nodiscard]] bool is_adopted() const noexcept { return is_adopted_; }

  /// Starts the device. The executor and the sink outlive it.
  [[nodiscard]] result<std::unique_ptr<device>> connect(const device_numbers& numbers,
                                                        executor& where,
                                                        completion_sink& sink) const {
    return connect_(numbers, where, sink);
  }

 private:
  device_info info_;
  connector connect_;
  bool is_adopted_;
};

/// A device that could be used, but whose chip is that of another one.
struct twin_device {
  std::unique_ptr<device_candidate> device;
  std::string of;  ///< the name of the other one

  /// A sentence that names both.
  [[nodiscard]] std::string text() const;
};

/// The devices that a backend finds.
struct found_devices {
  std::vector<std::unique_ptr<device_candidate>> usable;  ///< in a fixed order
  /// A sentence for each device and driver that is there and cannot be used: its name, and why.
  std::vector<std::string> left_out;
  std::vector<twin_device> twins;
};

/// The code that speaks one API. Has no state of its own.
class backend {
 public:
  virtual ~backend() = default;
  [[nodiscard]] virtual std::string name() const = 0;

  /// The devices there are. A missing driver is an empty list, and why_none says what is missing
  /// and what to install; a driver that fails or talks nonsense never throws, but is left out.
  /// configuration is the part of the runtime's options that is meant for this backend, for example
  /// "2,memory=256M,flops=1G" for `sim`; a wrong one throws usage_error. So does an object of its
  /// API among those that are adopted with which it cannot work.
  [[nodiscard]] virtual found_devices find(const executor& where, const std::string& configuration,
                                           const adopted_contexts& adopted = {}) const = 0;
  [[nodiscard]] virtual std::string why_none() const = 0;
};

}  // namespace hocket
