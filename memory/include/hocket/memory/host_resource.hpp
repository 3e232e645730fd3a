// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>
#include <utility>

#include <hocket/memory/resource.hpp>

namespace hocket {

/// Memory of the process: chunks are host addresses. Derived classes say where the bytes come from.
class host_resource : public memory_resource {
 public:
  /// owner: whose memory it is, as failures begin: `Device "NUMA0"`.
  explicit host_resource(std::string owner = "The process") : owner_(std::move(owner)) {}

  [[nodiscard]] result<allocation> allocate(std::size_t bytes, std::size_t alignment) final;
  void deallocate(const allocation& a) noexcept final;

 protected:
  /// Null if the host has none.
  [[nodiscard]] virtual void* obtain(std::size_t bytes, std::size_t alignment) noexcept;
  virtual void give_back(void* address, std::size_t bytes) noexcept;

 private:
  std::string owner_;
};

}  // namespace hocket
