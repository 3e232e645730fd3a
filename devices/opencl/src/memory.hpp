// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <mutex>
#include <set>
#include <string>

#include <hocket/core/result.hpp>
#include <hocket/devices/import_table.hpp>
#include <hocket/memory/resource.hpp>

#include "handle.hpp"

namespace hocket::opencl {

/// The buffers of a context: those that were allocated, and the host's allocations that it uses as
/// they are. Any thread.
class buffer_table {
 public:
  /// The functions and the context outlive it.
  buffer_table(const api& cl, cl_context context) noexcept : cl_(cl), context_(context) {}

  /// Null, and the code, where the driver has none.
  [[nodiscard]] cl_mem create(std::size_t bytes, cl_int& code);
  void release(cl_mem object) noexcept;
  [[nodiscard]] bool owns(const void* chunk) const;

  /// The buffer behind an allocation, which is the context's own or, with host_memory, the host's.
  /// An empty one is no buffer, for which another stands in.
  [[nodiscard]] result<cl_mem> use(const allocation& where, bool host_memory,
                                   const std::string& device);

  /// How many buffers were given back so far: as long as it stays the same, one address is one
  /// buffer.
  [[nodiscard]] std::uint64_t releases() const noexcept { return releases_; }

  /// The host's allocation goes away.
  void forget(const allocation& host) noexcept;

 private:
  struct import {
    handle<cl_mem> object;
    std::size_t bytes = 0;
  };

  [[nodiscard]] result<cl_mem> import_host(const allocation& host, const std::string& device);
  [[nodiscard]] result<cl_mem> stand_in(const std::string& device);

  const api& cl_;
  cl_context context_;
  std::atomic<std::uint64_t> releases_{0};
  import_table<import> imports_;
  mutable std::mutex guard_;  // for what follows
  std::set<const void*> own_;
  handle<cl_mem> stand_in_;
};

/// The bottom of a device's memory: each block is a buffer of its context.
class device_memory final : public memory_resource {
 public:
  /// The table outlives it. largest: bytes of one allocation.
  device_memory(buffer_table& buffers, std::string device, std::uint64_t largest)
      : buffers_(buffers), device_(std::move(device)), largest_(largest) {}

  [[nodiscard]] result<allocation> allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(const allocation& a) noexcept override;

 private:
  buffer_table& buffers_;
  std::string device_;
  std::uint64_t largest_;
};

}  // namespace hocket::opencl
