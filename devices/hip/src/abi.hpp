// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/api.hpp"

/// The binary interface of AMD's HIP and of rocBLAS, as far as Hocket uses them
/// and CUDA does not have it in the same form, so that no ROCm is needed to build. It is the same
/// in ROCm 5 and 6 where nothing else is said. A test compares it with the headers of a ROCm.
namespace hocket::hip {

using gpu::code, gpu::device_address, gpu::device_number, gpu::success;
using gpu::context_handle, gpu::module_handle, gpu::stream_handle;
using blas_code = int;  ///< of the library of products; 0: success

using array_handle = struct array_object*;
using blas_handle = struct blas_object*;

/// One end of a copy in three dimensions.
struct end_3d {
  array_handle array = nullptr;
  std::size_t x_bytes = 0, y = 0, z = 0;
  void* address = nullptr;
  std::size_t pitch = 0, row_bytes = 0, height = 0;
};

/// Which way a copy goes.
enum class direction : int { to_device = 1, to_host = 2, between_devices = 3 };

struct copy_3d {
  end_3d from, to;
  std::size_t width_bytes = 0, height = 0, depth = 0;
  direction way = direction::to_device;
};

/// Properties of a device.
enum class attribute : int {
  clock_khz = 5,
  compute_mode = 6,
  max_block_x = 26,
  max_block_y = 27,
  max_block_z = 28,
  max_block_items = 56,
  memory_bus_bits = 59,
  memory_clock_khz = 60,
  multiprocessors = 63,
  pci_bus = 67,
  pci_device = 68,
  pci_domain = 69,
};

constexpr int compute_mode_prohibited = 2;

/// A property of an address: the kind of its memory. ROCm 6 has one more kind, and numbers them
/// from one.
constexpr int pointer_memory_kind = 2;
constexpr int host_memory_before_6 = 0, host_memory = 1;

/// Of a version that the driver tells: 60032830 is 6.0.
constexpr int version_of_major = 10'000'000, version_of_minor = 100'000;

/// A structure of properties, of which only the name of the architecture is read, "gfx90a:xnack-".
/// ROCm 6 has a larger one, which a function with another name fills in.
struct properties {
  static constexpr std::size_t bytes = 4096;  ///< more than any of them has
  static constexpr std::size_t architecture_before_6 = 396, architecture = 1160;
  static constexpr std::size_t architecture_bytes = 256;
  alignas(8) char content[bytes] = {};
};

/// Every function of the driver that HIP alone has in this form. each(name, type).
#define HOCKET_HIP_FUNCTIONS(each)                                                                \
  each(hipDeviceEnablePeerAccess, code (*)(device_number, unsigned));                             \
  each(hipGetDevice, code (*)(device_number*));                                                   \
  each(hipMemcpy3DAsync, code (*)(const copy_3d*, stream_handle));                                \
  each(hipMemcpyPeerAsync, code (*)(device_address, device_number, device_address, device_number, \
                                    std::size_t, stream_handle));                                 \
  each(hipModuleLoadData, code (*)(module_handle*, const void*));                                 \
  each(hipPointerGetAttribute, code (*)(void*, int, device_address));                             \
  each(hipSetDevice, code (*)(device_number))

/// Of a matrix, column by column, in a product.
enum class blas_operation : int { none = 111, transpose = 112 };

/// How the library of products stores numbers.
enum class blas_number : int { float16 = 150, float32 = 151, bfloat16 = 168 };

constexpr int any_algorithm = 0;  ///< the library chooses

/// Every function of rocBLAS that Hocket uses. each(name, type).
#define HOCKET_ROCBLAS_FUNCTIONS(each)                                                          \
  each(rocblas_create_handle, blas_code (*)(blas_handle*));                                     \
  each(rocblas_destroy_handle, blas_code (*)(blas_handle));                                     \
  each(rocblas_dgemm,                                                                           \
       blas_code (*)(blas_handle, blas_operation, blas_operation, int, int, int, const double*, \
                     const double*, int, const double*, int, const double*, double*, int));     \
  each(rocblas_gemm_ex,                                                                         \
       blas_code (*)(blas_handle, blas_operation, blas_operation, int, int, int, const void*,   \
                     const void*, blas_number, int, const void*, blas_number, int, const void*, \
                     const void*, blas_number, int, void*, blas_number, int, blas_number, int,  \
                     std::int32_t, std::uint32_t));                                             \
  each(rocblas_set_stream, blas_code (*)(blas_handle, stream_handle));                          \
  each(rocblas_sgemm,                                                                           \
       blas_code (*)(blas_handle, blas_operation, blas_operation, int, int, int, const float*,  \
                     const float*, int, const float*, int, const float*, float*, int));         \
  each(rocblas_status_to_string, const char* (*)(blas_code))

}  // namespace hocket::hip
