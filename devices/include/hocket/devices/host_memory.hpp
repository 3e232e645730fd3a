// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include <hocket/memory/resource.hpp>

namespace hocket {

/// The memory of a device that is made of host memory: host addresses, up to a limit. What it does
/// not have it refuses in the name of the device. Derived classes say where the bytes come from.
class host_memory : public memory_resource {
 public:
  host_memory(std::string device, std::uint64_t limit)
      : device_(std::move(device)), limit_(limit) {}

  [[nodiscard]] result<allocation> allocate(std::size_t bytes, std::size_t alignment) final;
  void deallocate(const allocation& a) noexcept final;

 protected:
  /// Null if the host has none.
  [[nodiscard]] virtual void* obtain(std::size_t bytes, std::size_t alignment) noexcept;
  virtual void give_back(void* address, std::size_t bytes) noexcept;

 private:
  [[nodiscard]] failure refuse(std::size_t bytes, const std::string& why) const;

  std::string device_;
  std::uint64_t limit_;
  std::atomic<std::uint64_t> used_{0};
};

}  // namespace hocket
