// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>

#include <hocket/devices/host_memory.hpp>

#include "device.hpp"

namespace hocket::sim {

/// Host memory that stands for a device's own, and is refused as long as the faults say so. Where
/// assertions are on it can be poisoned: as floating point every element is a NaN, so that data
/// which no copy brought here show.
class device_memory final : public host_memory {
 public:
  device_memory(const std::string& device, bool poisons,
                std::shared_ptr<const sim_device::faults> faults)
      : host_memory(device), poisons_(poisons), faults_(std::move(faults)) {}

 protected:
  [[nodiscard]] void* obtain(std::size_t bytes, std::size_t alignment) noexcept override;
  void give_back(void* address, std::size_t bytes) noexcept override;

 private:
  const bool poisons_;
  const std::shared_ptr<const sim_device::faults> faults_;
};

}  // namespace hocket::sim
