// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>

#include <hocket/devices/import_table.hpp>
#include <hocket/memory/resource.hpp>

#include "context.hpp"

namespace hocket::vulkan {

/// A buffer with memory of its own. What an allocation of this backend calls its chunk.
struct buffer {
  owned_memory memory;
  owned_buffer handle;  // goes before its memory
  VkDeviceSize bytes = 0;
  void* mapped = nullptr;  ///< null if the host cannot address it
  /// How far behind its beginning an imported allocation begins, which need not be aligned.
  std::uint64_t first_byte = 0;
};

/// Mapped if the host is required to see it.
[[nodiscard]] result<buffer> make_buffer(const context& of, std::uint64_t bytes,
                                         VkMemoryPropertyFlags required,
                                         VkMemoryPropertyFlags preferred);

/// The flags of memory that the host writes or reads, for the device's use.
inline constexpr VkMemoryPropertyFlags host_access =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

/// The bottom of a device's memory. Drivers need not refuse what is beyond their limits: this does.
class device_memory final : public memory_resource {
 public:
  explicit device_memory(const context& of) : of_(of) {}

  [[nodiscard]] result<allocation> allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(const allocation& a) noexcept override;

  [[nodiscard]] static const buffer& chunk(const allocation& a) {
    return *static_cast<const buffer*>(a.chunk);
  }

 private:
  const context& of_;
  std::atomic<std::uint64_t> count_{0};
};

/// The host's memory as the device sees it: with all of the pages that the allocation lies in.
[[nodiscard]] result<buffer> import_host(const context& of, const allocation& host);

using imported_buffers = import_table<buffer>;

}  // namespace hocket::vulkan
