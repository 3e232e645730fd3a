// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>

/// The binary interface of NVIDIA's driver and of its compiler, as far as Hocket uses it, so that
/// no toolkit is needed to build. A test compares it with the headers of a toolkit.
namespace hocket::cuda {

using code = int;                      ///< of the driver; 0: success
using compiler_code = int;             ///< of the compiler; 0: success
using blas_code = int;                 ///< of the library of products; 0: success
using device_number = int;             ///< of a device of the driver
using device_address = std::uint64_t;  ///< of memory of a device

// Objects of the driver and of the compiler.
using context_handle = struct context_object*;
using stream_handle = struct stream_object*;
using event_handle = struct event_object*;
using module_handle = struct module_object*;
using function_handle = struct function_object*;
using array_handle = struct array_object*;
using graph_handle = struct graph_object*;
using runnable_handle = struct runnable_object*;  ///< of a graph that can be launched
using program_handle = struct program_object*;
using blas_handle = struct blas_object*;

/// Work of the host in a stream.
using host_function = void (*)(void* data);

/// Of a matrix, column by column, in a product.
enum class blas_operation : int { none = 0, transpose = 1 };

/// How a library of products stores numbers.
enum class blas_number : int { float16 = 2, bfloat16 = 14 };

constexpr int sums_are_floats = 68;      ///< of a product of other numbers
constexpr int any_algorithm = -1;        ///< the library chooses
constexpr int sums_keep_precision = 16;  ///< parts of a sum are not in 16 bits
constexpr int products_may_be_tf32 = 3;  ///< floats are rounded to 11 significant bits first

/// Memory of a box copy.
enum class memory_kind : unsigned { host = 1, device = 2 };

/// One end of a box copy.
struct box_end {
  std::size_t x_bytes = 0, y = 0, z = 0, level = 0;
  memory_kind kind = memory_kind::host;
  void* host = nullptr;
  device_address device = 0;
  array_handle array = nullptr;
  context_handle context = nullptr;  ///< null in a copy within one context
  std::size_t pitch = 0, height = 0;
};

/// A box copy within one context, or between two.
struct box_copy {
  box_end from, to;
  std::size_t width_bytes = 0, height = 0, depth = 0;
};

/// Properties of a device.
enum class attribute : int {
  max_block_items = 1,
  max_block_x = 2,
  max_block_y = 3,
  max_block_z = 4,
  clock_khz = 13,
  multiprocessors = 16,
  compute_mode = 20,
  pci_bus = 33,
  pci_device = 34,
  memory_clock_khz = 36,
  memory_bus_bits = 37,
  unified_addressing = 41,
  pci_domain = 50,
  capability_major = 75,
  capability_minor = 76,
};

constexpr int compute_mode_prohibited = 2;

constexpr unsigned stream_non_blocking = 1;   ///< does not wait for the legacy default stream
constexpr int capture_of_this_thread = 1;     ///< other threads may call what no capture allows
constexpr unsigned event_blocking_sync = 1;   ///< a thread that waits for the event sleeps
constexpr unsigned host_memory_portable = 1;  ///< pinned for all contexts

/// A property of an address: the kind of its memory.
constexpr int pointer_memory_kind = 2;

/// Options of a module that is loaded: where the driver's compiler says what is wrong.
constexpr int load_error_log = 5, load_error_log_bytes = 6;

/// Every function of the driver that Hocket uses; all are part of CUDA 11.4. each(name, type).
#define HOCKET_CUDA_FUNCTIONS(each)                                                                \
  each(cuCtxEnablePeerAccess, code (*)(context_handle, unsigned));                                 \
  each(cuCtxPopCurrent_v2, code (*)(context_handle*));                                             \
  each(cuCtxPushCurrent_v2, code (*)(context_handle));                                             \
  each(cuCtxSynchronize, code (*)());                                                              \
  each(cuDeviceCanAccessPeer, code (*)(int*, device_number, device_number));                       \
  each(cuDeviceGet, code (*)(device_number*, int));                                                \
  each(cuDeviceGetAttribute, code (*)(int*, attribute, device_number));                            \
  each(cuDeviceGetCount, code (*)(int*));                                                          \
  each(cuDeviceGetName, code (*)(char*, int, device_number));                                      \
  each(cuDevicePrimaryCtxRelease_v2, code (*)(device_number));                                     \
  each(cuDevicePrimaryCtxRetain, code (*)(context_handle*, device_number));                        \
  each(cuDeviceTotalMem_v2, code (*)(std::size_t*, device_number));                                \
  each(cuDriverGetVersion, code (*)(int*));                                                        \
  each(cuEventCreate, code (*)(event_handle*, unsigned));                                          \
  each(cuEventDestroy_v2, code (*)(event_handle));                                                 \
  each(cuEventElapsedTime, code (*)(float*, event_handle, event_handle));                          \
  each(cuEventQuery, code (*)(event_handle));                                                      \
  each(cuEventRecord, code (*)(event_handle, stream_handle));                                      \
  each(cuEventSynchronize, code (*)(event_handle));                                                \
  each(cuGraphDestroy, code (*)(graph_handle));                                                    \
  each(cuGraphExecDestroy, code (*)(runnable_handle));                                             \
  each(cuGraphInstantiateWithFlags, code (*)(runnable_handle*, graph_handle, unsigned long long)); \
  each(cuGraphLaunch, code (*)(runnable_handle, stream_handle));                                   \
  each(cuInit, code (*)(unsigned));                                                                \
  each(cuLaunchHostFunc, code (*)(stream_handle, host_function, void*));                           \
  each(cuLaunchKernel, code (*)(function_handle, unsigned, unsigned, unsigned, unsigned, unsigned, \
                                unsigned, unsigned, stream_handle, void**, void**));               \
  each(cuMemAlloc_v2, code (*)(device_address*, std::size_t));                                     \
  each(cuMemFreeHost, code (*)(void*));                                                            \
  each(cuMemFree_v2, code (*)(device_address));                                                    \
  each(cuMemHostRegister_v2, code (*)(void*, std::size_t, unsigned));                              \
  each(cuMemHostUnregister, code (*)(void*));                                                      \
  each(cuMemHostAlloc, code (*)(void**, std::size_t, unsigned));                                   \
  each(cuMemcpy3DAsync_v2, code (*)(const box_copy*, stream_handle));                              \
  each(cuMemcpy3DPeerAsync, code (*)(const box_copy*, stream_handle));                             \
  each(cuMemcpyDtoDAsync_v2,                                                                       \
       code (*)(device_address, device_address, std::size_t, stream_handle));                      \
  each(cuMemcpyDtoHAsync_v2, code (*)(void*, device_address, std::size_t, stream_handle));         \
  each(cuMemcpyHtoDAsync_v2, code (*)(device_address, const void*, std::size_t, stream_handle));   \
  each(cuMemcpyPeerAsync, code (*)(device_address, context_handle, device_address, context_handle, \
                                   std::size_t, stream_handle));                                   \
  each(cuModuleGetFunction, code (*)(function_handle*, module_handle, const char*));               \
  each(cuModuleLoadDataEx, code (*)(module_handle*, const void*, unsigned, int*, void**));         \
  each(cuModuleUnload, code (*)(module_handle));                                                   \
  each(cuPointerGetAttribute, code (*)(void*, int, device_address));                               \
  each(cuStreamBeginCapture_v2, code (*)(stream_handle, int));                                     \
  each(cuStreamEndCapture, code (*)(stream_handle, graph_handle*));                                \
  each(cuStreamCreate, code (*)(stream_handle*, unsigned));                                        \
  each(cuStreamDestroy_v2, code (*)(stream_handle));                                               \
  each(cuStreamSynchronize, code (*)(stream_handle));                                              \
  each(cuStreamWaitEvent, code (*)(stream_handle, event_handle, unsigned))

/// Every function of the library of products that Hocket uses. each(name, type).
#define HOCKET_CUBLAS_FUNCTIONS(each)                                                           \
  each(cublasCreate_v2, blas_code (*)(blas_handle*));                                           \
  each(cublasDestroy_v2, blas_code (*)(blas_handle));                                           \
  each(cublasDgemm_v2,                                                                          \
       blas_code (*)(blas_handle, blas_operation, blas_operation, int, int, int, const double*, \
                     const double*, int, const double*, int, const double*, double*, int));     \
  each(cublasGetStatusString, const char* (*)(blas_code));                                      \
  each(cublasSetMathMode, blas_code (*)(blas_handle, int));                                     \
  each(cublasSetStream_v2, blas_code (*)(blas_handle, stream_handle));                          \
  each(cublasSgemm_v2,                                                                          \
       blas_code (*)(blas_handle, blas_operation, blas_operation, int, int, int, const float*,  \
                     const float*, int, const float*, int, const float*, float*, int))

/// Every function of the compiler that Hocket uses. each(name, type).
// The vendor's header has two functions of this name in C++.
#define HOCKET_CUBLAS_OVERLOADED(each)                                                          \
  each(cublasGemmEx,                                                                            \
       blas_code (*)(blas_handle, blas_operation, blas_operation, int, int, int, const void*,   \
                     const void*, blas_number, int, const void*, blas_number, int, const void*, \
                     void*, blas_number, int, int, int))

#define HOCKET_NVRTC_FUNCTIONS(each)                                                         \
  each(nvrtcCompileProgram, compiler_code (*)(program_handle, int, const char* const*));     \
  each(nvrtcCreateProgram, compiler_code (*)(program_handle*, const char*, const char*, int, \
                                             const char* const*, const char* const*));       \
  each(nvrtcDestroyProgram, compiler_code (*)(program_handle*));                             \
  each(nvrtcGetErrorString, const char* (*)(compiler_code));                                 \
  each(nvrtcGetNumSupportedArchs, compiler_code (*)(int*));                                  \
  each(nvrtcGetPTX, compiler_code (*)(program_handle, char*));                               \
  each(nvrtcGetPTXSize, compiler_code (*)(program_handle, std::size_t*));                    \
  each(nvrtcGetProgramLog, compiler_code (*)(program_handle, char*));                        \
  each(nvrtcGetProgramLogSize, compiler_code (*)(program_handle, std::size_t*));             \
  each(nvrtcGetSupportedArchs, compiler_code (*)(int*));                                     \
  each(nvrtcVersion, compiler_code (*)(int*, int*))

}  // namespace hocket::cuda
