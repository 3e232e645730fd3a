// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <hocket/memory/host_resource.hpp>

#include "device.hpp"

namespace hocket::sim {

/// Backings of the memory of a simulated device.
enum class memory_backing : std::uint8_t {
  poisoned,  ///< host memory; where assertions are on, it is filled with NaNs before and after use
  shared,    ///< host memory, which the host may read and write as well
  none       ///< addresses that nothing reads or writes: a block takes no memory, whatever its size
};

/// The memory of a simulated device. Refused as long as the faults say so.
class device_memory final : public host_resource {
 public:
  device_memory(std::string owner, memory_backing backing,
                std::shared_ptr<const sim_device::faults> faults)
      : host_resource(std::move(owner)), backing_(backing), faults_(std::move(faults)) {}

 protected:
  [[nodiscard]] void* obtain(std::size_t bytes, std::size_t alignment) noexcept override;
  void give_back(void* address, std::size_t bytes) noexcept override;

 private:
  [[nodiscard]] void* unbacked(std::size_t bytes, std::size_t alignment) noexcept;

  const memory_backing backing_;
  const std::shared_ptr<const sim_device::faults> faults_;
  /// The first address without backing that was not given out; the first page is never one.
  std::atomic<std::uintptr_t> next_ = 4096;
};

}  // namespace hocket::sim
