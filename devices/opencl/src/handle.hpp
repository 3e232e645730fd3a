// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <type_traits>

#include <hocket/devices/driver_handle.hpp>

#include "loader.hpp"

namespace hocket::opencl {

template <class Object>
void release(const api& cl, Object object) {
  if constexpr (std::is_same_v<Object, cl_context>) cl.clReleaseContext(object);
  if constexpr (std::is_same_v<Object, cl_command_queue>) cl.clReleaseCommandQueue(object);
  if constexpr (std::is_same_v<Object, cl_device_id>) cl.clReleaseDevice(object);
  if constexpr (std::is_same_v<Object, cl_event>) cl.clReleaseEvent(object);
  if constexpr (std::is_same_v<Object, cl_kernel>) cl.clReleaseKernel(object);
  if constexpr (std::is_same_v<Object, cl_mem>) cl.clReleaseMemObject(object);
  if constexpr (std::is_same_v<Object, cl_program>) cl.clReleaseProgram(object);
}

/// Owns one reference to an object of OpenCL. The functions outlive it.
template <class Object>
using handle = driver_handle<api, Object, release<Object>>;

}  // namespace hocket::opencl
