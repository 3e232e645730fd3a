// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>

#include <hocket/core/result.hpp>
#include <hocket/devices/device.hpp>
#include <hocket/memory/limit_resource.hpp>
#include <hocket/memory/pool_resource.hpp>
#include <hocket/memory/resource.hpp>

#include "gpu/api.hpp"

namespace hocket::gpu {

class context;

/// The address of a device's allocation, or of a part of it.
[[nodiscard]] inline device_address address_of(const allocation& a, std::size_t offset = 0) {
  return reinterpret_cast<device_address>(a.chunk) + offset;
}

/// The allocations of all devices of a driver, and the context that each is of. Any thread.
class address_table {
 public:
  void add(device_address at, context_handle of);
  void remove(device_address at) noexcept;
  /// Null for memory of the host.
  [[nodiscard]] context_handle context_of(const allocation& a) const;

 private:
  mutable std::mutex guard_;  // for what follows
  std::unordered_map<device_address, context_handle> owners_;
};

/// Memory as the driver gives it.
class driver_memory final : public memory_resource {
 public:
  /// The context outlives it. lost is called where the driver says that the device is.
  driver_memory(context& in, std::string device, std::function<void(const failure&)> lost)
      : in_(in), device_(std::move(device)), lost_(std::move(lost)) {}

  [[nodiscard]] result<allocation> allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(const allocation& a) noexcept override;

 private:
  context& in_;
  std::string device_;
  std::function<void(const failure&)> lost_;
};

/// The memory of a device. The pool of freed blocks is here and not the runtime's, so that they can
/// go back to the driver when a kernel needs scratch. Thread-safe.
class device_memory final : public memory_resource {
 public:
  /// As those of a driver_memory.
  device_memory(context& in, const device_info& info, std::function<void(const failure&)> lost);
  ~device_memory() override;
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;

  [[nodiscard]] result<allocation> allocate(std::size_t bytes, std::size_t alignment) override {
    return pool_.allocate(bytes, alignment);
  }
  void deallocate(const allocation& a) noexcept override { pool_.deallocate(a); }

  /// Gives all blocks that are kept to be used again back to the driver.
  void give_back_kept();

 private:
  context& in_;
  driver_memory bottom_;
  limit_resource limit_;  // kept blocks are of what the device is allowed too
  pool_resource pool_;
};

}  // namespace hocket::gpu
