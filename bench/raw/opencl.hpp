// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace hocket::bench::raw {

/// Throws if an OpenCL function did not succeed.
inline void check(cl_int code, const char* function) {
  if (code != CL_SUCCESS) {
    throw std::runtime_error(std::string(function) + " fails with " + std::to_string(code) + ".");
  }
}

template <class Handle, cl_int (*Release)(Handle)>
struct releaser {
  void operator()(Handle handle) const noexcept { Release(handle); }
};
template <class Handle, cl_int (*Release)(Handle)>
using owned = std::unique_ptr<std::remove_pointer_t<Handle>, releaser<Handle, Release>>;

using context = owned<cl_context, clReleaseContext>;
using queue = owned<cl_command_queue, clReleaseCommandQueue>;
using program = owned<cl_program, clReleaseProgram>;
using kernel_object = owned<cl_kernel, clReleaseKernel>;
using memory = owned<cl_mem, clReleaseMemObject>;

/// What a program that uses OpenCL by hand has: the first device, a context and an in-order queue.
struct opencl {
  opencl();

  [[nodiscard]] kernel_object build(const char* text, const char* name);
  [[nodiscard]] memory zeros(std::size_t bytes) const;

  cl_device_id device = nullptr;
  context in;
  queue commands;
  program last_built;
};

/// True if there is any device.
[[nodiscard]] bool has_opencl();

}  // namespace hocket::bench::raw
