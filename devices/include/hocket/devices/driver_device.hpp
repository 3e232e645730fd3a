// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include <hocket/devices/device.hpp>
#include <hocket/streams/driver_stream.hpp>

namespace hocket {

/// The parts of a device of a driver. The members are destroyed in the reverse order.
struct driver_device_parts {
  device_info info;               ///< of a device with one lane
  std::shared_ptr<void> context;  ///< what memory and streams use of the driver
  /// Nothing is given back to the driver any more; empty if it does not end before the runtime.
  std::function<void()> leave;
  std::function<void(const allocation&host)> remember, forget;  ///< as a device's; may be empty
  std::unique_ptr<memory_resource> memory;
  std::unique_ptr<driver_stream> compute;
  std::unique_ptr<driver_stream> inbound;
  std::unique_ptr<driver_stream> outbound;
};

/// A device of a driver: what `null`, `opencl` and `vulkan` have in common. Destroying it waits for
/// the commands that the driver has and drops the others.
class driver_device final : public device {
 public:
  explicit driver_device(driver_device_parts parts) : parts_(std::move(parts)) {}
  ~driver_device() override { close(); }

  [[nodiscard]] const device_info& info() const noexcept override { return parts_.info; }
  [[nodiscard]] memory_resource& memory() noexcept override { return *parts_.memory; }
  [[nodiscard]] stream& compute(std::size_t lane) noexcept override;
  [[nodiscard]] stream& inbound() noexcept override { return *parts_.inbound; }
  [[nodiscard]] stream& outbound() noexcept override { return *parts_.outbound; }
  void lose(const failure& why) override { parts_.compute->lose(why); }
  void remember(const allocation& host) override;
  void forget(const allocation& host) noexcept override;
  [[nodiscard]] bool has_driver() const noexcept override { return parts_.leave != nullptr; }
  void leave_driver() noexcept override;

 private:
  void close();

  driver_device_parts parts_;
};

}  // namespace hocket
