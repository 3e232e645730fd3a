// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/api.hpp"
#include "gpu/compiler_functions.hpp"

/// The binary interface of NVIDIA's driver and of its compiler, as far as Hocket uses it, so that
/// no toolkit is needed to build. A test compares it with the headers of a toolkit.
namespace hocket::cuda {

using gpu::code, gpu::device_address, gpu::device_number;
using gpu::context_handle, gpu::event_handle, gpu::function_handle, gpu::graph_handle,
    gpu::module_handle, gpu::runnable_handle, gpu::stream_handle;
using gpu::event_blocking_sync, gpu::host_memory_portable, gpu::stream_non_blocking, gpu::success;

using compiler_code = int;  ///< of the compiler; 0: success
using blas_code = int;      ///< of the library of products; 0: success

using array_handle = struct array_object*;
using link_handle = struct link_object*;
using blas_handle = struct blas_object*;

/// Of a matrix, column by column, in a product.
enum class blas_operation : int { none = 0, transpose = 1 };

/// How a library of products stores numbers.
enum class blas_number : int { float32 = 0, float16 = 2, bfloat16 = 14 };

constexpr int sums_are_floats = 68;      ///< of a product of other numbers
constexpr int any_algorithm = -1;        ///< the library chooses
constexpr int sums_keep_precision = 16;  ///< parts of a sum are not in 16 bits
constexpr int products_may_be_tf32 = 3;  ///< floats are rounded to 11 significant bits first

/// Memory of a box copy.
enum class memory_kind : unsigned { host = 1, device = 2 };

/// One end of a box copy.
struct end_3d {
  std::size_t x_bytes = 0, y = 0, z = 0, level = 0;
  memory_kind kind = memory_kind::host;
  void* host = nullptr;
  device_address device = 0;
  array_handle array = nullptr;
  context_handle context = nullptr;  ///< null in a copy within one context
  std::size_t pitch = 0, height = 0;
};

/// A box copy within one context, or between two.
struct copy_3d {
  end_3d from, to;
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

/// A property of an address: the kind of its memory.
constexpr int pointer_memory_kind = 2;

/// The kind of input of the driver's linker: PTX.
constexpr int link_input_ptx = 1;

/// Options of a module that is loaded: where the driver's compiler says what is wrong.
constexpr int load_error_log = 5, load_error_log_bytes = 6;

/// Every function of the driver that CUDA alone has in this form. each(name, type).
#define HOCKET_CUDA_FUNCTIONS(each)                                                                \
  each(cuCtxEnablePeerAccess, code (*)(context_handle, unsigned));                                 \
  each(cuCtxGetDevice, code (*)(device_number*));                                                  \
  each(cuCtxPopCurrent_v2, code (*)(context_handle*));                                             \
  each(cuCtxPushCurrent_v2, code (*)(context_handle));                                             \
  each(cuDevicePrimaryCtxRelease_v2, code (*)(device_number));                                     \
  each(cuDevicePrimaryCtxRetain, code (*)(context_handle*, device_number));                        \
  each(cuLinkAddData_v2,                                                                           \
       code (*)(link_handle, int, void*, std::size_t, const char*, unsigned, int*, void**));       \
  each(cuLinkComplete, code (*)(link_handle, void**, std::size_t*));                               \
  each(cuLinkCreate_v2, code (*)(unsigned, int*, void**, link_handle*));                           \
  each(cuLinkDestroy, code (*)(link_handle));                                                      \
  each(cuMemcpy3DAsync_v2, code (*)(const copy_3d*, stream_handle));                               \
  each(cuMemcpy3DPeerAsync, code (*)(const copy_3d*, stream_handle));                              \
  each(cuMemcpyPeerAsync, code (*)(device_address, context_handle, device_address, context_handle, \
                                   std::size_t, stream_handle));                                   \
  each(cuModuleLoadDataEx, code (*)(module_handle*, const void*, unsigned, int*, void**));         \
  each(cuPointerGetAttribute, code (*)(void*, int, device_address))

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

// The vendor's header has two functions of this name in C++.
#define HOCKET_CUBLAS_OVERLOADED(each)                                                          \
  each(cublasGemmEx,                                                                            \
       blas_code (*)(blas_handle, blas_operation, blas_operation, int, int, int, const void*,   \
                     const void*, blas_number, int, const void*, blas_number, int, const void*, \
                     void*, blas_number, int, int, int))

/// Every function that NVRTC alone has. each(name, type).
#define HOCKET_NVRTC_FUNCTIONS(each)                             \
  each(nvrtcGetNumSupportedArchs, gpu::compiler_code (*)(int*)); \
  each(nvrtcGetSupportedArchs, gpu::compiler_code (*)(int*))

}  // namespace hocket::cuda
