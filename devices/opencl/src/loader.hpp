// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <memory>

#include <hocket/core/result.hpp>

#define CL_TARGET_OPENCL_VERSION 300
// Queues are made the way that drivers of every version have.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

namespace hocket::opencl {

/// Every function of OpenCL that Hocket uses; all are part of OpenCL 1.2.
#define HOCKET_OPENCL_FUNCTIONS(each) \
  each(clBuildProgram);               \
  each(clCreateBuffer);               \
  each(clCreateCommandQueue);         \
  each(clCreateContext);              \
  each(clCreateKernel);               \
  each(clCreateProgramWithBinary);    \
  each(clCreateProgramWithSource);    \
  each(clCreateSubDevices);           \
  each(clCreateUserEvent);            \
  each(clEnqueueBarrierWithWaitList); \
  each(clEnqueueCopyBuffer);          \
  each(clEnqueueCopyBufferRect);      \
  each(clEnqueueFillBuffer);          \
  each(clEnqueueMarkerWithWaitList);  \
  each(clEnqueueNDRangeKernel);       \
  each(clEnqueueReadBuffer);          \
  each(clEnqueueReadBufferRect);      \
  each(clEnqueueWriteBuffer);         \
  each(clEnqueueWriteBufferRect);     \
  each(clFinish);                     \
  each(clFlush);                      \
  each(clGetContextInfo);             \
  each(clGetDeviceIDs);               \
  each(clGetDeviceInfo);              \
  each(clGetEventInfo);               \
  each(clGetEventProfilingInfo);      \
  each(clGetPlatformIDs);             \
  each(clGetPlatformInfo);            \
  each(clGetProgramBuildInfo);        \
  each(clGetProgramInfo);             \
  each(clReleaseCommandQueue);        \
  each(clReleaseContext);             \
  each(clReleaseDevice);              \
  each(clReleaseEvent);               \
  each(clReleaseKernel);              \
  each(clReleaseMemObject);           \
  each(clReleaseProgram);             \
  each(clRetainContext);              \
  each(clSetKernelArg);               \
  each(clSetUserEventStatus);         \
  each(clWaitForEvents)

/// The functions of the loader that finds the drivers.
struct api {
#define HOCKET_OPENCL_DECLARE(name) decltype(&::name) name = nullptr
  HOCKET_OPENCL_FUNCTIONS(HOCKET_OPENCL_DECLARE);
#undef HOCKET_OPENCL_DECLARE

  /// The drivers are gone: there is nothing to release any more.
  mutable std::atomic<bool> gone{false};
};

/// Fails with no_device if libOpenCL is not installed, or lacks a function.
[[nodiscard]] result<std::shared_ptr<const api>> load();

}  // namespace hocket::opencl
