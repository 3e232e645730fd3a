// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// A fake OpenCL driver: PoCL, of which some functions are replaced.

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl_icd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>

#include "fault.hpp"

namespace {

using table = cl_icd_dispatch;

table pocl;                                     // as it was
std::map<cl_device_info, std::string> answers;  // to clGetDeviceInfo

cl_int give(const std::string& answer, std::size_t room, void* to, std::size_t* size) {
  if (to != nullptr) std::memcpy(to, answer.data(), std::min(room, answer.size()));
  if (size != nullptr) *size = answer.size();
  return CL_SUCCESS;
}

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, std::size_t room, void* to,
                               std::size_t* size) {
  const auto found = answers.find(what);
  if (found == answers.end()) return pocl.clGetDeviceInfo(device, what, room, to, size);
  return give(found->second, room, to, size);
}

template <class Number>
void answer(table& t, cl_device_info what, Number number) {
  answers[what].assign(reinterpret_cast<const char*>(&number), sizeof number);
  t.clGetDeviceInfo = device_info;
}

void answer_text(table& t, const std::string& text) {
  for (const cl_device_info what : std::initializer_list<cl_device_info>{
           CL_DEVICE_NAME, CL_DRIVER_VERSION, CL_DEVICE_EXTENSIONS}) {
    answers[what] = text;
  }
  t.clGetDeviceInfo = device_info;
}

template <auto Function, cl_int Code, class Result, class... Arguments>
void put_refusal(table& t, Result (CL_API_CALL* table::*)(Arguments...)) {
  t.*Function = [](Arguments... arguments) -> Result {
    static std::atomic<long> calls{0};
    return hocket::fake::is_spared(calls) ? (pocl.*Function)(arguments...) : Code;
  };
}

/// Has the function only return a code, but for the first calls.
template <auto Function, cl_int Code>
void refuse(table& t) {
  put_refusal<Function, Code>(t, Function);
}

template <auto Function, class Named, class Result, class... Arguments>
void put_count(table& t, Result (CL_API_CALL* table::*)(Arguments...)) {
  t.*Function = [](Arguments... arguments) -> Result {
    const int code = hocket::fake::counter.next(Named::name());
    if (code == 0) return (pocl.*Function)(arguments...);
    if constexpr (std::is_same_v<Result, cl_int>) {
      return code;
    } else {  // what makes an object tells the code by its last argument
      cl_int* const to = std::get<sizeof...(Arguments) - 1>(std::tie(arguments...));
      if (to != nullptr) *to = code;
      return nullptr;
    }
  };
}

#define COUNT(function)                                         \
  {                                                             \
    struct named {                                              \
      static constexpr const char* name() { return #function; } \
    };                                                          \
    put_count<&table::function, named>(t, &table::function);    \
  }

/// All functions that Hocket calls but those about platforms, which are not in the driver's table:
/// their calls are counted, and one fails that a test has chosen.
void count_all(table& t) {
  COUNT(clBuildProgram)
  COUNT(clCreateBuffer)
  COUNT(clCreateCommandQueue)
  COUNT(clCreateContext)
  COUNT(clCreateKernel)
  COUNT(clCreateProgramWithBinary)
  COUNT(clCreateProgramWithSource)
  COUNT(clCreateSubDevices)
  COUNT(clCreateUserEvent)
  COUNT(clEnqueueCopyBuffer)
  COUNT(clEnqueueCopyBufferRect)
  COUNT(clEnqueueFillBuffer)
  COUNT(clEnqueueMarkerWithWaitList)
  COUNT(clEnqueueNDRangeKernel)
  COUNT(clEnqueueReadBuffer)
  COUNT(clEnqueueReadBufferRect)
  COUNT(clEnqueueWriteBuffer)
  COUNT(clEnqueueWriteBufferRect)
  COUNT(clFinish)
  COUNT(clFlush)
  COUNT(clGetDeviceIDs)
  COUNT(clGetDeviceInfo)
  COUNT(clGetEventInfo)
  COUNT(clGetEventProfilingInfo)
  COUNT(clGetProgramBuildInfo)
  COUNT(clGetProgramInfo)
  COUNT(clReleaseCommandQueue)
  COUNT(clReleaseContext)
  COUNT(clReleaseDevice)
  COUNT(clReleaseEvent)
  COUNT(clReleaseKernel)
  COUNT(clReleaseMemObject)
  COUNT(clReleaseProgram)
  COUNT(clSetKernelArg)
  COUNT(clSetUserEventStatus)
  COUNT(clWaitForEvents)
}

constexpr cl_ulong none = 0, all = std::numeric_limits<cl_ulong>::max();

void put_at(table& t, const cl_device_pci_bus_info_khr& place) {
  answers[CL_DEVICE_EXTENSIONS] = "cl_khr_fp64 cl_khr_pci_bus_info";
  answer(t, CL_DEVICE_PCI_BUS_INFO_KHR, place);
}

/// What it says of its devices.
const hocket::fake::fault_list<table> said{
    {"", [](table&) {}},
    {"any", count_all},
    {"no device", refuse<&table::clGetDeviceIDs, CL_DEVICE_NOT_FOUND>},
    {"devices", refuse<&table::clGetDeviceIDs, CL_OUT_OF_HOST_MEMORY>},
    {"too many devices",
     [](table& t) {
       t.clGetDeviceIDs = [](cl_platform_id of, cl_device_type type, cl_uint room, cl_device_id* to,
                             cl_uint* count) {
         const cl_int code = pocl.clGetDeviceIDs(of, type, std::min(room, 1U), to, count);
         if (count != nullptr) *count = std::numeric_limits<cl_uint>::max();
         return code;
       };
     }},
    {"info", refuse<&table::clGetDeviceInfo, CL_OUT_OF_HOST_MEMORY>},
    {"no group", [](table& t) { answer<std::size_t>(t, CL_DEVICE_MAX_WORK_GROUP_SIZE, 0); }},
    {"no memory", [](table& t) { answer(t, CL_DEVICE_GLOBAL_MEM_SIZE, none); }},
    {"huge",
     [](table& t) {
       answer<std::size_t>(t, CL_DEVICE_MAX_WORK_GROUP_SIZE, all);
       answer<std::size_t>(t, CL_DEVICE_MAX_PARAMETER_SIZE, all);
       answer(t, CL_DEVICE_GLOBAL_MEM_SIZE, all);
       answer(t, CL_DEVICE_MAX_MEM_ALLOC_SIZE, all);
       for (const cl_device_info what : std::initializer_list<cl_device_info>{
                CL_DEVICE_MAX_CLOCK_FREQUENCY, CL_DEVICE_MAX_COMPUTE_UNITS,
                CL_DEVICE_MEM_BASE_ADDR_ALIGN, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT}) {
         answer(t, what, std::numeric_limits<cl_uint>::max());
       }
     }},
    {"small",
     [](table& t) {
       answer<std::size_t>(t, CL_DEVICE_MAX_PARAMETER_SIZE, 0);
       answer<cl_uint>(t, CL_DEVICE_MAX_CLOCK_FREQUENCY, 0);
       answer<cl_uint>(t, CL_DEVICE_MAX_COMPUTE_UNITS, 0);
       answer<cl_uint>(t, CL_DEVICE_MEM_BASE_ADDR_ALIGN, 3);
     }},
    {"chip of the first GPU",
     [](table& t) {
       put_at(t, {0, 1, 0, 0});
     }},
    {"chip that is nowhere",
     [](table& t) {
       put_at(t, {0, 0, 0, 0});
     }},
    {"no name", [](table& t) { answer_text(t, ""); }},
    {"garbage for a name", [](table& t) { answer_text(t, std::string(5000, '\xfe') + "\x1b[2J"); }},
};

/// What it does.
const hocket::fake::fault_list<table> done{
    {"context",
     [](table& t) {
       t.clCreateContext = [](const cl_context_properties*, cl_uint, const cl_device_id*,
                              void(CL_CALLBACK*)(const char*, const void*, std::size_t, void*),
                              void*, cl_int* code) {
         *code = CL_OUT_OF_RESOURCES;
         return cl_context(nullptr);
       };
     }},
    {"queue",
     [](table& t) {
       t.clCreateCommandQueue = [](cl_context, cl_device_id, cl_command_queue_properties,
                                   cl_int* code) {
         *code = CL_OUT_OF_RESOURCES;
         return cl_command_queue(nullptr);
       };
     }},
    {"buffer",
     [](table& t) {
       t.clCreateBuffer = [](cl_context in, cl_mem_flags how, std::size_t bytes, void* host,
                             cl_int* code) {
         static std::atomic<long> calls{0};
         if (hocket::fake::is_spared(calls)) {
           return pocl.clCreateBuffer(in, how, bytes, host, code);
         }
         *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
         return cl_mem(nullptr);
       };
     }},
    {"memory",
     [](table& t) {
       t.clCreateBuffer = [](cl_context in, cl_mem_flags how, std::size_t bytes, void* host,
                             cl_int* code) {
         if (!hocket::fake::refuses_memory) return pocl.clCreateBuffer(in, how, bytes, host, code);
         *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
         return cl_mem(nullptr);
       };
     }},
    {"compiler",
     [](table& t) {
       refuse<&table::clBuildProgram, CL_BUILD_PROGRAM_FAILURE>(t);
       t.clGetProgramBuildInfo = [](cl_program, cl_device_id, cl_program_build_info,
                                    std::size_t room, void* to, std::size_t* size) {
         return give("the fake compiler likes no kernel", room, to, size);
       };
     }},
    {"compiler without a log",
     [](table& t) {
       refuse<&table::clBuildProgram, CL_BUILD_PROGRAM_FAILURE>(t);
       refuse<&table::clGetProgramBuildInfo, CL_INVALID_VALUE>(t);
     }},
    {"launch", refuse<&table::clEnqueueNDRangeKernel, CL_OUT_OF_RESOURCES>},
    {"copy", refuse<&table::clEnqueueWriteBuffer, CL_OUT_OF_RESOURCES>},
    {"copy back", refuse<&table::clEnqueueReadBuffer, CL_DEVICE_NOT_AVAILABLE>},
    {"wait", refuse<&table::clWaitForEvents, CL_OUT_OF_RESOURCES>},
    {"status",
     [](table& t) {
       t.clGetEventInfo = [](cl_event, cl_event_info, std::size_t, void* to, std::size_t*) {
         constexpr cl_int illegal_access = -9999;
         std::memcpy(to, &illegal_access, sizeof illegal_access);
         return CL_SUCCESS;
       };
     }},
    {"times",
     [](table& t) {
       t.clGetEventProfilingInfo = [](cl_event, cl_profiling_info what, std::size_t, void* to,
                                      std::size_t*) {
         const cl_ulong time = what == CL_PROFILING_COMMAND_START ? all : 1;
         std::memcpy(to, &time, sizeof time);
         return CL_SUCCESS;
       };
     }},
};

}  // namespace

extern "C" CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id* to,
                                                                  cl_uint* count) {
  static const auto find = hocket::fake::real<decltype(&clGetExtensionFunctionAddress)>(
      "libpocl.so.2", "clGetExtensionFunctionAddress");
  if (find == nullptr) return CL_OUT_OF_HOST_MEMORY;
  const auto list =
      reinterpret_cast<decltype(&clIcdGetPlatformIDsKHR)>(find("clIcdGetPlatformIDsKHR"));
  const cl_int code = list(room, to, count);
  if (code == CL_SUCCESS && to != nullptr && pocl.clGetDeviceIDs == nullptr) {
    // Every object begins with a pointer to the one table of its driver.
    table& functions = **reinterpret_cast<table**>(to[0]);
    pocl = functions;
    hocket::fake::put_in({&said, &done}, functions);
  }
  return code;
}

extern "C" CL_API_ENTRY void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  const bool own = std::string_view(name) == "clIcdGetPlatformIDsKHR";
  return own ? reinterpret_cast<void*>(&clIcdGetPlatformIDsKHR) : nullptr;
}

extern "C" CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id of,
                                                             cl_platform_info what,
                                                             std::size_t room, void* to,
                                                             std::size_t* size) {
  return pocl.clGetPlatformInfo(of, what, room, to, size);
}
