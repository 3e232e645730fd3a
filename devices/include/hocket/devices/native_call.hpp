// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>

#include <hocket/core/error.hpp>
#include <hocket/core/function_ref.hpp>
#include <hocket/kernels/source.hpp>
#include <hocket/streams/command.hpp>

namespace hocket {

/// A buffer of a launch as its device knows it.
struct native_object {
  void* object = nullptr;      ///< as in native_buffer
  std::size_t first_byte = 0;  ///< of the allocation, behind the beginning of the object
  bool is_address = false;
};

/// Lets the native body of a launch enqueue its commands in a place, whose type is that of the
/// body's format. object(i) is that of buffer i, and is asked for those with elements. What the
/// body throws is the failure, and so is a lack of memory.
[[nodiscard]] failure call_native(const kernel_source& source, const launch_command& what,
                                  const void* place,
                                  function_ref<native_object(std::size_t)> object);

}  // namespace hocket
