// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>

#include <hocket/core/result.hpp>

namespace hocket {

/// A piece of a device's memory. `chunk` is the device's own handle of it (a host address, a
/// cl_mem, ...), which resources above it hand on without knowing its kind.
struct allocation {
  void* chunk = nullptr;
  std::size_t bytes = 0;

  /// The address, where chunks are host addresses (devices `cpu` and `sim`).
  [[nodiscard]] void* address() const noexcept { return chunk; }

  friend bool operator==(const allocation&, const allocation&) = default;
};

/// Where memory comes from. Every resource but a device's own takes one upstream and is one itself,
/// so that they compose: pool{limit{device, 1 GiB}}. Thread-safe.
class memory_resource {
 public:
  virtual ~memory_resource() = default;

  /// At least bytes, at an address that is a multiple of alignment (a power of two).
  /// Failure: out_of_memory, with the bytes asked for, in use and allowed.
  [[nodiscard]] virtual result<allocation> allocate(std::size_t bytes, std::size_t alignment) = 0;

  /// Takes back what allocate gave. Never allocates, never fails.
  virtual void deallocate(const allocation& a) noexcept = 0;
};

}  // namespace hocket
