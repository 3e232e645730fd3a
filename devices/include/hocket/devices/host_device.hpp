// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <vector>

#include <hocket/devices/backend.hpp>
#include <hocket/streams/host_stream.hpp>

namespace hocket {

/// How a device that is made of host threads does its work.
struct host_device_parts {
  device_info info;
  std::unique_ptr<memory_resource> memory;
  std::size_t arena = 0;                           ///< whose workers run its kernels and copies
  std::function<failure(const command&)> perform;  ///< as in host_stream_options
  std::function<nanoseconds(const command&)> duration;  ///< as in host_stream_options
};

/// A device of software streams: what `cpu` and `sim` have in common. Destroying it waits for the
/// commands that are being performed and drops the others.
class host_device : public device {
 public:
  host_device(host_device_parts parts, const device_numbers& numbers, executor& where,
              completion_sink& sink);
  ~host_device() override;

  [[nodiscard]] const device_info& info() const noexcept override { return info_; }
  [[nodiscard]] memory_resource& memory() noexcept override { return *memory_; }
  [[nodiscard]] stream& compute(std::size_t lane) noexcept override { return *compute_[lane]; }
  [[nodiscard]] stream& inbound() noexcept override { return *inbound_; }
  [[nodiscard]] stream& outbound() noexcept override { return *outbound_; }
  void lose(const failure& why) override;

 private:
  device_info info_;
  std::unique_ptr<memory_resource> memory_;
  std::shared_ptr<host_epoch> epoch_;
  std::vector<std::unique_ptr<host_stream>> compute_;
  std::unique_ptr<host_stream> inbound_;
  std::unique_ptr<host_stream> outbound_;
};

}  // namespace hocket
