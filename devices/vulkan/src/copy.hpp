// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>

#include <hocket/execution/pump.hpp>

#include "device_stream.hpp"
#include "memory.hpp"
#include "stream.hpp"

namespace hocket::vulkan {

enum class direction : std::uint8_t { inbound, outbound };

/// A stream of copies, which kernels may wait for.
class copy_stream : public device_stream {
 protected:
  copy_stream(const parts& given, stream_id id, direction way, launch_stream& kernels)
      : device_stream(given, id), way_(way), kernels_(kernels) {}

  [[nodiscard]] direction way() const noexcept { return way_; }
  [[nodiscard]] std::string thread_name() const {
    return of().name() + (way_ == direction::inbound ? " in" : " out");
  }
  void after_end() override { kernels_.go_on(); }

 private:
  const direction way_;
  launch_stream& kernels_;
};

/// Copies to or from a device's memory that the host addresses, by a thread of its own.
class host_copy_stream final : public copy_stream {
 public:
  /// With uses_host_memory allocations of the device are host addresses as well.
  host_copy_stream(const parts& given, stream_id id, direction way, launch_stream& kernels,
                   bool uses_host_memory);
  ~host_copy_stream() override;

 protected:
  [[nodiscard]] bool prepared(const command& what) override;
  [[nodiscard]] failure prepare(const command& what) override;
  [[nodiscard]] failure enqueue(const command& what, std::span<const device_wait> waits) override;

 private:
  void perform(std::uint64_t value, const copy_command& what,
               const std::vector<wait_point>& points);

  const bool uses_host_memory_;
  pump pump_;  // ends before what its work uses
};

}  // namespace hocket::vulkan
