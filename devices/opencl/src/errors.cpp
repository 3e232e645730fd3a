// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "errors.hpp"

#include <array>

namespace hocket::opencl {

namespace {

#define HOCKET_OPENCL_CODE(code) \
  driver_code { code, #code }
constexpr std::array codes{
    HOCKET_OPENCL_CODE(CL_DEVICE_NOT_FOUND),
    HOCKET_OPENCL_CODE(CL_DEVICE_NOT_AVAILABLE),
    HOCKET_OPENCL_CODE(CL_COMPILER_NOT_AVAILABLE),
    HOCKET_OPENCL_CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    HOCKET_OPENCL_CODE(CL_OUT_OF_RESOURCES),
    HOCKET_OPENCL_CODE(CL_OUT_OF_HOST_MEMORY),
    HOCKET_OPENCL_CODE(CL_MEM_COPY_OVERLAP),
    HOCKET_OPENCL_CODE(CL_BUILD_PROGRAM_FAILURE),
    HOCKET_OPENCL_CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    HOCKET_OPENCL_CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    HOCKET_OPENCL_CODE(CL_INVALID_VALUE),
    HOCKET_OPENCL_CODE(CL_INVALID_DEVICE),
    HOCKET_OPENCL_CODE(CL_INVALID_CONTEXT),
    HOCKET_OPENCL_CODE(CL_INVALID_COMMAND_QUEUE),
    HOCKET_OPENCL_CODE(CL_INVALID_HOST_PTR),
    HOCKET_OPENCL_CODE(CL_INVALID_MEM_OBJECT),
    HOCKET_OPENCL_CODE(CL_INVALID_BINARY),
    HOCKET_OPENCL_CODE(CL_INVALID_BUILD_OPTIONS),
    HOCKET_OPENCL_CODE(CL_INVALID_PROGRAM),
    HOCKET_OPENCL_CODE(CL_INVALID_PROGRAM_EXECUTABLE),
    HOCKET_OPENCL_CODE(CL_INVALID_KERNEL_NAME),
    HOCKET_OPENCL_CODE(CL_INVALID_KERNEL_DEFINITION),
    HOCKET_OPENCL_CODE(CL_INVALID_KERNEL),
    HOCKET_OPENCL_CODE(CL_INVALID_ARG_INDEX),
    HOCKET_OPENCL_CODE(CL_INVALID_ARG_VALUE),
    HOCKET_OPENCL_CODE(CL_INVALID_ARG_SIZE),
    HOCKET_OPENCL_CODE(CL_INVALID_KERNEL_ARGS),
    HOCKET_OPENCL_CODE(CL_INVALID_WORK_DIMENSION),
    HOCKET_OPENCL_CODE(CL_INVALID_WORK_GROUP_SIZE),
    HOCKET_OPENCL_CODE(CL_INVALID_WORK_ITEM_SIZE),
    HOCKET_OPENCL_CODE(CL_INVALID_EVENT_WAIT_LIST),
    HOCKET_OPENCL_CODE(CL_INVALID_EVENT),
    HOCKET_OPENCL_CODE(CL_INVALID_OPERATION),
    HOCKET_OPENCL_CODE(CL_INVALID_BUFFER_SIZE),
};
#undef HOCKET_OPENCL_CODE

}  // namespace

std::string name_of(cl_int code) { return text_of(codes, code); }

bool means_loss(cl_int code) noexcept {
  constexpr cl_int illegal_access = -9999;  // of NVIDIA's driver; the context is dead then
  return code == CL_DEVICE_NOT_AVAILABLE || code == CL_OUT_OF_RESOURCES || code == illegal_access;
}

failure failure_of(cl_int code, const std::string& device, const std::string& doing) {
  const bool memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY;
  const failure_code meaning = means_loss(code) ? failure_code::device_lost
                               : memory         ? failure_code::out_of_memory
                                                : failure_code::task_failed;
  return driver_failure(meaning, device, "fails " + doing, name_of(code));
}

}  // namespace hocket::opencl
