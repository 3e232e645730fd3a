// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>

#include <harness/command.hpp>

namespace hocket::bench {

enum class direction : std::uint8_t { to_device, to_host };

/// Copies of one array between the memories of the host and of a device.
struct transfer {
  direction way;
  std::size_t bytes;
  std::size_t calls;  ///< that one sample makes, one after the other

  /// Microseconds of each.
  [[nodiscard]] double each(double nanoseconds) const {
    return nanoseconds / 1e3 / static_cast<double>(calls);
  }
};

/// Through a runtime: what a kernel that needs the array waits for, or a view on the host.
[[nodiscard]] contender hocket_copy(const transfer& what, const runtime_options& options);

/// How many bytes the device says it has copied for one of these.
[[nodiscard]] contender hocket_bytes(const transfer& what, const runtime_options& options);

/// What the memory itself is capable of, by one thread.
[[nodiscard]] contender memcpy_copy(const transfer& what);

/// Through the API alone.
[[nodiscard]] contender opencl_copy(const transfer& what);
[[nodiscard]] contender vulkan_copy(const transfer& what, const device_info& device);
/// From and to memory that the driver has not pinned, or has.
[[nodiscard]] contender cuda_copy(const transfer& what, bool pinned);

/// A kernel fills a buffer that is made for it and goes away behind it, so often in one sample; and
/// the same kernel one buffer that stays, which asks for no memory. The options name the device.
[[nodiscard]] std::vector<contender> fresh_buffers(std::size_t bytes, std::size_t calls,
                                                   const runtime_options& options);

/// Arrays that go to a device, through a kernel there and back again, all independent.
struct pipeline {
  std::size_t bytes;  ///< of one array
  std::size_t count;
};

/// All together, as fast as the runtime overlaps them; and, one leg after the other, the longest
/// leg and their sum. The options name the one device.
[[nodiscard]] std::vector<contender> hocket_pipeline(const pipeline& what,
                                                     const runtime_options& options);

/// The same pipeline with three queues and events of the API.
[[nodiscard]] contender opencl_pipeline(const pipeline& what);
/// With pinned memory.
[[nodiscard]] contender cuda_pipeline(const pipeline& what);

}  // namespace hocket::bench
