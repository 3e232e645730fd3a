// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>

#include <hocket/execution/pump.hpp>

#include "memory.hpp"
#include "timeline_stream.hpp"

namespace hocket::vulkan {

enum class direction : std::uint8_t { inbound, outbound };

/// Copies to or from a device's memory that the host addresses: a thread of its own does it, and
/// kernels that wait for a copy wait on the device.
class host_copy_stream final : public timeline_stream {
 public:
  /// With uses_host_memory allocations of the device are host addresses as well.
  [[nodiscard]] static result<std::unique_ptr<timeline_stream>> make(const parts& given,
                                                                     stream_id id, direction way,
                                                                     bool uses_host_memory);
  ~host_copy_stream() override;

 protected:
  [[nodiscard]] bool prepared(const command& what) override;
  [[nodiscard]] failure prepare(const command& what) override;
  [[nodiscard]] failure enqueue(const command& what, std::span<const device_wait> waits) override;

 private:
  host_copy_stream(const parts& given, stream_id id, direction way, bool uses_host_memory);
  void perform(std::uint64_t value, const copy_command& what,
               const std::vector<wait_point>& points);

  const direction way_;
  const bool uses_host_memory_;
  pump pump_;  // ends before what its work uses
};

}  // namespace hocket::vulkan
