// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <span>

#include <hocket/core/error.hpp>
#include <hocket/kernels/source.hpp>
#include <hocket/streams/command.hpp>

namespace hocket {

/// What a buffer of a launch is on its device.
struct native_object {
  void* object = nullptr;      ///< as in native_buffer
  std::size_t first_byte = 0;  ///< of the allocation, behind the beginning of the object
};

/// Lets the native body of a launch enqueue its commands in a place, whose type is that of the
/// body's format. One object for each buffer. What the body throws is the failure.
[[nodiscard]] failure call_native(const kernel_source& source, const launch_command& what,
                                  const void* place, std::span<const native_object> objects);

}  // namespace hocket
