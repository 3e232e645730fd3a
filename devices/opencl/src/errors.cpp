// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "errors.hpp"

#include <array>

namespace hocket::opencl {

namespace {

#define HOCKET_OPENCL_CODE(code, meaning) \
  driver_code { code, #code, failure_code::meaning }
constexpr std::array codes{
    HOCKET_OPENCL_CODE(CL_DEVICE_NOT_FOUND, task_failed),
    HOCKET_OPENCL_CODE(CL_DEVICE_NOT_AVAILABLE, device_lost),
    HOCKET_OPENCL_CODE(CL_COMPILER_NOT_AVAILABLE, task_failed),
    HOCKET_OPENCL_CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE, out_of_memory),
    HOCKET_OPENCL_CODE(CL_OUT_OF_RESOURCES, device_lost),
    HOCKET_OPENCL_CODE(CL_OUT_OF_HOST_MEMORY, out_of_memory),
    HOCKET_OPENCL_CODE(CL_PROFILING_INFO_NOT_AVAILABLE, task_failed),
    HOCKET_OPENCL_CODE(CL_MEM_COPY_OVERLAP, task_failed),
    HOCKET_OPENCL_CODE(CL_BUILD_PROGRAM_FAILURE, task_failed),
    HOCKET_OPENCL_CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET, task_failed),
    HOCKET_OPENCL_CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_VALUE, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_DEVICE, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_CONTEXT, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_QUEUE_PROPERTIES, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_COMMAND_QUEUE, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_HOST_PTR, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_MEM_OBJECT, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_BINARY, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_BUILD_OPTIONS, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_PROGRAM, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_PROGRAM_EXECUTABLE, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_KERNEL_NAME, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_KERNEL_DEFINITION, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_KERNEL, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_ARG_INDEX, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_ARG_VALUE, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_ARG_SIZE, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_KERNEL_ARGS, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_WORK_DIMENSION, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_WORK_GROUP_SIZE, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_WORK_ITEM_SIZE, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_EVENT_WAIT_LIST, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_EVENT, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_OPERATION, task_failed),
    HOCKET_OPENCL_CODE(CL_INVALID_BUFFER_SIZE, task_failed),
};
#undef HOCKET_OPENCL_CODE

}  // namespace

std::string name_of(cl_int code) { return text_of(codes, code); }

failure failure_of(cl_int code, const std::string& device, const std::string& doing) {
  constexpr cl_int illegal_access = -9999;  // of NVIDIA's driver; the context is dead then
  const failure_code otherwise =
      code == illegal_access ? failure_code::device_lost : failure_code::task_failed;
  return driver_failure(meaning_of(codes, code, otherwise), device, "fails " + doing,
                        name_of(code));
}

}  // namespace hocket::opencl
