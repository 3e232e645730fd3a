// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>

#include <hocket/devices/backend.hpp>

#include "stream.hpp"

namespace hocket::opencl {

/// One device, or one part of a device that was split.
class opencl_device final : public device {
 public:
  opencl_device(device_info info, std::shared_ptr<root_device> root, const device_numbers& numbers,
                stream_parts parts, std::vector<handle<cl_command_queue>> queues, executor& where);
  ~opencl_device() override;

  [[nodiscard]] const device_info& info() const noexcept override { return info_; }
  [[nodiscard]] memory_resource& memory() noexcept override { return memory_; }
  [[nodiscard]] stream& compute(std::size_t lane) noexcept override;
  [[nodiscard]] stream& inbound() noexcept override { return inbound_; }
  [[nodiscard]] stream& outbound() noexcept override { return outbound_; }
  void forget(const allocation& host) noexcept override;
  [[nodiscard]] bool has_driver() const noexcept override { return true; }
  void leave_driver() noexcept override;

 private:
  void close();

  device_info info_;
  std::shared_ptr<root_device> root_;
  std::shared_ptr<context> context_;
  device_memory memory_;
  queue_stream compute_;
  queue_stream inbound_;
  queue_stream outbound_;
};

/// Starts part number part of the root device.
[[nodiscard]] result<std::unique_ptr<device>> connect_device(
    const device_info& info, const std::shared_ptr<root_device>& root, std::size_t part,
    const device_numbers& numbers, executor& where, completion_sink& sink);

}  // namespace hocket::opencl
