// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>
#include <utility>

#include <hocket/memory/resource.hpp>

namespace hocket {

/// The bottom memory of a device that is made of host memory: host addresses. Refusals name the
/// device. Derived classes say where the bytes come from.
class host_memory : public memory_resource {
 public:
  explicit host_memory(std::string device) : device_(std::move(device)) {}

  [[nodiscard]] result<allocation> allocate(std::size_t bytes, std::size_t alignment) final;
  void deallocate(const allocation& a) noexcept final;

 protected:
  /// Null if the host has none.
  [[nodiscard]] virtual void* obtain(std::size_t bytes, std::size_t alignment) noexcept;
  virtual void give_back(void* address, std::size_t bytes) noexcept;

 private:
  std::string device_;
};

}  // namespace hocket
