// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "opencl.hpp"

#include <vector>

namespace hocket::bench::raw {

namespace {

cl_device_id first_device() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return nullptr;
  std::vector<cl_platform_id> platforms(count);
  check(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
  for (cl_platform_id platform : platforms) {
    cl_device_id device = nullptr;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) == CL_SUCCESS) {
      return device;
    }
  }
  return nullptr;
}

}  // namespace

bool has_opencl() { return first_device() != nullptr; }

opencl::opencl() : device(first_device()) {
  cl_int code = CL_SUCCESS;
  in.reset(clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code));
  check(code, "clCreateContext");
  commands.reset(clCreateCommandQueue(in.get(), device, 0, &code));
  check(code, "clCreateCommandQueue");
}

kernel_object opencl::build(const char* text, const char* name) {
  cl_int code = CL_SUCCESS;
  last_built.reset(clCreateProgramWithSource(in.get(), 1, &text, nullptr, &code));
  check(code, "clCreateProgramWithSource");
  check(clBuildProgram(last_built.get(), 1, &device, "", nullptr, nullptr), "clBuildProgram");
  kernel_object made(clCreateKernel(last_built.get(), name, &code));
  check(code, "clCreateKernel");
  return made;
}

memory opencl::zeros(std::size_t bytes) const {
  cl_int code = CL_SUCCESS;
  memory made(clCreateBuffer(in.get(), CL_MEM_READ_WRITE, bytes, nullptr, &code));
  check(code, "clCreateBuffer");
  // Garbage may be denormal numbers, which some processors compute very slowly.
  const cl_float zero = 0;
  check(clEnqueueFillBuffer(commands.get(), made.get(), &zero, sizeof zero, 0, bytes, 0, nullptr,
                            nullptr),
        "clEnqueueFillBuffer");
  check(clFinish(commands.get()), "clFinish");
  return made;
}

}  // namespace hocket::bench::raw
