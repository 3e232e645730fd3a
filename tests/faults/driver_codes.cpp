// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "driver_codes.hpp"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <map>

namespace hocket::testing {

namespace {

using codes = std::vector<returned_code>;

#define CODE(name) \
  returned_code { name, #name }

codes joined(codes first, const codes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

std::vector<returned_code> opencl_codes(const std::string& function) {
  // Any function may return these.
  const codes common{CODE(CL_OUT_OF_RESOURCES), CODE(CL_OUT_OF_HOST_MEMORY)};
  const codes of_commands{CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE), CODE(CL_DEVICE_NOT_AVAILABLE)};
  const codes of_waits{CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)};
  static const std::map<std::string, codes> more{
      {"clBuildProgram",
       {CODE(CL_BUILD_PROGRAM_FAILURE), CODE(CL_COMPILER_NOT_AVAILABLE), CODE(CL_INVALID_BINARY)}},
      {"clCreateBuffer",
       {CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE), CODE(CL_INVALID_BUFFER_SIZE),
        CODE(CL_INVALID_HOST_PTR)}},
      {"clCreateCommandQueue", {CODE(CL_INVALID_QUEUE_PROPERTIES)}},
      {"clCreateContext", {CODE(CL_DEVICE_NOT_AVAILABLE)}},
      {"clCreateKernel", {CODE(CL_INVALID_PROGRAM_EXECUTABLE), CODE(CL_INVALID_KERNEL_DEFINITION)}},
      {"clCreateProgramWithBinary", {CODE(CL_INVALID_BINARY)}},
      {"clEnqueueNDRangeKernel", {CODE(CL_INVALID_WORK_GROUP_SIZE)}},
      {"clFinish", of_waits},
      {"clFlush", {CODE(CL_DEVICE_NOT_AVAILABLE)}},
      {"clGetEventProfilingInfo", {CODE(CL_PROFILING_INFO_NOT_AVAILABLE)}},
      {"clSetKernelArg", {CODE(CL_INVALID_ARG_SIZE)}},
      {"clWaitForEvents", of_waits},
  };
  codes made = common;
  if (function.rfind("clEnqueue", 0) == 0) made = joined(made, of_commands);
  const auto found = more.find(function);
  return found == more.end() ? made : joined(made, found->second);
}

std::vector<returned_code> vulkan_codes(const std::string& function) {
  const codes common{CODE(VK_ERROR_OUT_OF_HOST_MEMORY), CODE(VK_ERROR_OUT_OF_DEVICE_MEMORY)};
  const codes lost{CODE(VK_ERROR_DEVICE_LOST)};
  static const std::map<std::string, codes> more{
      {"vkAllocateDescriptorSets",
       {CODE(VK_ERROR_FRAGMENTED_POOL), CODE(VK_ERROR_OUT_OF_POOL_MEMORY)}},
      {"vkAllocateMemory",
       {CODE(VK_ERROR_TOO_MANY_OBJECTS), CODE(VK_ERROR_INVALID_EXTERNAL_HANDLE)}},
      {"vkCreateComputePipelines", {CODE(VK_ERROR_UNKNOWN)}},
      {"vkCreateDevice",
       {CODE(VK_ERROR_INITIALIZATION_FAILED), CODE(VK_ERROR_EXTENSION_NOT_PRESENT),
        CODE(VK_ERROR_FEATURE_NOT_PRESENT), CODE(VK_ERROR_TOO_MANY_OBJECTS),
        CODE(VK_ERROR_DEVICE_LOST)}},
      {"vkCreateInstance",
       {CODE(VK_ERROR_INITIALIZATION_FAILED), CODE(VK_ERROR_LAYER_NOT_PRESENT),
        CODE(VK_ERROR_EXTENSION_NOT_PRESENT), CODE(VK_ERROR_INCOMPATIBLE_DRIVER)}},
      {"vkDeviceWaitIdle", lost},
      {"vkGetMemoryHostPointerPropertiesEXT", {CODE(VK_ERROR_INVALID_EXTERNAL_HANDLE)}},
      {"vkGetQueryPoolResults", joined(lost, {CODE(VK_NOT_READY)})},
      {"vkGetSemaphoreCounterValue", lost},
      {"vkMapMemory", {CODE(VK_ERROR_MEMORY_MAP_FAILED)}},
      {"vkQueueSubmit", lost},
      {"vkWaitSemaphores", joined(lost, {CODE(VK_TIMEOUT)})},
  };
  const auto found = more.find(function);
  return found == more.end() ? common : joined(common, found->second);
}

}  // namespace hocket::testing
