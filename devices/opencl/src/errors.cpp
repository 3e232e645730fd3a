// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "errors.hpp"

#include <algorithm>
#include <array>

namespace hocket::opencl {

namespace {

struct code_name {
  cl_int code;
  const char* name;
};

#define HOCKET_OPENCL_CODE(code) \
  code_name { code, #code }
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

std::string first_lines(const std::string& log) {
  constexpr std::size_t max_lines = 8, max_characters = 1000;
  std::size_t end = 0;
  for (std::size_t line = 0; line < max_lines && end != std::string::npos; ++line) {
    end = log.find('\n', end + (line == 0 ? 0 : 1));
  }
  return log.substr(0, std::min(end, max_characters));
}

}  // namespace

std::string name_of(cl_int code) {
  const auto found =
      std::ranges::find_if(codes, [&](const code_name& c) { return c.code == code; });
  const std::string number = std::to_string(code);
  return found == codes.end() ? "code " + number : std::string(found->name) + " (" + number + ")";
}

bool means_loss(cl_int code) noexcept {
  constexpr cl_int illegal_access = -9999;  // of NVIDIA's driver; the context is dead then
  return code == CL_DEVICE_NOT_AVAILABLE || code == CL_OUT_OF_RESOURCES || code == illegal_access;
}

failure failure_of(cl_int code, const std::string& device, const std::string& doing) {
  const std::string what =
      "Device \"" + device + "\" fails " + doing + ": its driver says " + name_of(code) + ".";
  if (means_loss(code)) return {failure_code::device_lost, what};
  if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY) {
    return {failure_code::out_of_memory, what};
  }
  return {failure_code::task_failed, what};
}

failure no_memory(const std::string& device, std::size_t bytes, const std::string& why) {
  return {failure_code::out_of_memory, "Device \"" + device + "\" has no memory for " +
                                           std::to_string(bytes) + " bytes: " + why};
}

failure compile_failure(const std::string& kernel, const std::string& device, cl_int code,
                        const std::string& log) {
  return {failure_code::compile_failed, "Kernel \"" + kernel +
                                            "\" is refused by the compiler of \"" + device +
                                            "\" (" + name_of(code) + "): " + first_lines(log)};
}

}  // namespace hocket::opencl
