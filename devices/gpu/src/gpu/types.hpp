// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>

/// The common part of the backends of CUDA and of HIP, whose interfaces are one design under two
/// names. The types and numbers here are the same in both; a test of each backend compares them
/// with its vendor's headers.
namespace hocket::gpu {

using code = int;                      ///< of a driver; 0: success
using device_number = int;             ///< of a device of a driver
using device_address = std::uint64_t;  ///< of memory of a device

// Objects of a driver.
using context_handle = struct context_object*;  ///< that a device is used through
using stream_handle = struct stream_object*;
using event_handle = struct event_object*;
using module_handle = struct module_object*;
using function_handle = struct function_object*;
using graph_handle = struct graph_object*;
using runnable_handle = struct runnable_object*;  ///< of a graph that can be launched

/// Work of the host in a stream.
using host_function = void (*)(void* data);

constexpr code success = 0;
constexpr code no_device = 100;
constexpr code not_ready = 600;

constexpr unsigned stream_non_blocking = 1;   ///< does not wait for the default stream
constexpr int capture_of_this_thread = 1;     ///< other threads may call what no capture allows
constexpr unsigned event_blocking_sync = 1;   ///< a thread that waits for the event sleeps
constexpr unsigned host_memory_portable = 1;  ///< pinned for all devices

/// One end of a box copy: memory of the host, or of a device.
struct box_end {
  std::byte* host = nullptr;         ///< null: a device's
  device_address device = 0;         ///< the first byte there
  context_handle context = nullptr;  ///< of the device; null: the host
  std::size_t pitch = 0;             ///< bytes from one row to the next
  std::size_t height = 0;            ///< rows from one slice to the next
};

/// A copy of a box between two memories.
struct box_copy {
  box_end from, to;
  std::size_t width_bytes = 0, height = 0, depth = 0;
};

}  // namespace hocket::gpu
