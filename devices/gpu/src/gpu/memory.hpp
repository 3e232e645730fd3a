// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>

#include <hocket/core/result.hpp>
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

/// The bottom of a device's memory.
class device_memory final : public memory_resource {
 public:
  /// The context outlives it. lost is called where the driver says that the device is.
  device_memory(context& in, std::string device, std::function<void(const failure&)> lost)
      : in_(in), device_(std::move(device)), lost_(std::move(lost)) {}

  [[nodiscard]] result<allocation> allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(const allocation& a) noexcept override;

 private:
  context& in_;
  std::string device_;
  std::function<void(const failure&)> lost_;
};

}  // namespace hocket::gpu
