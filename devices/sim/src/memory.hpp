// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/devices/host_memory.hpp>

namespace hocket::sim {

/// Host memory that stands for a device's own. Where assertions are on it is poisoned: as floating
/// point every element is a NaN, so that data which nobody brought here show.
class poisoned_memory final : public host_memory {
 public:
  using host_memory::host_memory;

 protected:
  [[nodiscard]] void* obtain(std::size_t bytes, std::size_t alignment) noexcept override;
  void give_back(void* address, std::size_t bytes) noexcept override;
};

}  // namespace hocket::sim
