// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>

#include <hocket/memory/host_resource.hpp>

#include "device.hpp"

namespace hocket::sim {

/// Host memory that stands for a device's own, and is refused as long as the faults say so. Where
/// assertions are on it can be poisoned: as floating point every element is a NaN, so that data
/// which no copy brought here show.
class device_memory final : public host_resource {
 public:
  device_memory(std::string owner, bool poisons, std::shared_ptr<const sim_device::faults> faults)
      : host_resource(std::move(owner)), poisons_(poisons), faults_(std::move(faults)) {}

 protected:
  [[nodiscard]] void* obtain(std::size_t bytes, std::size_t alignment) noexcept override;
  void give_back(void* address, std::size_t bytes) noexcept override;

 private:
  const bool poisons_;
  const std::shared_ptr<const sim_device::faults> faults_;
};

}  // namespace hocket::sim
