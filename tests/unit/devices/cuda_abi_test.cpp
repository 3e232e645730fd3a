// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Compares the binary interface that the backend declares with the headers of a toolkit.

#include <gtest/gtest.h>

#include <type_traits>

#include "driver.hpp"

#include <cuda.h>
#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#define HOCKET_HAS_CUBLAS
#endif
#include <nvrtc.h>

namespace hocket::cuda {

namespace {

/// True if values of the types are passed in the same way.
template <class Ours, class Theirs>
constexpr bool passes_like = std::is_pointer_v<Ours> == std::is_pointer_v<Theirs> &&
                             sizeof(Ours) == sizeof(Theirs);
template <>
[[maybe_unused]] constexpr bool passes_like<void, void> = true;

template <class Ours, class Theirs>
struct same_interface : std::false_type {};
template <class A, class... As, class B, class... Bs>
requires(sizeof...(As) == sizeof...(Bs)) struct same_interface<A (*)(As...), B (*)(Bs...)>
    : std::bool_constant<passes_like<A, B> && (... && passes_like<As, Bs>)> {
};

#define HOCKET_SAME(name, ...) \
  static_assert(same_interface<std::type_identity_t<__VA_ARGS__>, decltype(&::name)>::value)
HOCKET_CUDA_FUNCTIONS(HOCKET_SAME);
#define HOCKET_SAME_AS_CUDA(member, cuda, hip, ...) HOCKET_SAME(cuda, __VA_ARGS__)
using namespace gpu;  // the list of functions has its types
HOCKET_GPU_FUNCTIONS(HOCKET_SAME_AS_CUDA);
#undef HOCKET_SAME_AS_CUDA
HOCKET_NVRTC_FUNCTIONS(HOCKET_SAME);
#define HOCKET_SAME_AS_NVRTC(member, nvrtc, hiprtc, ...) HOCKET_SAME(nvrtc, __VA_ARGS__)
HOCKET_GPU_COMPILER_FUNCTIONS(HOCKET_SAME_AS_NVRTC);
#undef HOCKET_SAME_AS_NVRTC
#ifdef HOCKET_HAS_CUBLAS
HOCKET_CUBLAS_FUNCTIONS(HOCKET_SAME);
using extended_gemm = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int,
                                         int, int, const void*, const void*, cudaDataType, int,
                                         const void*, cudaDataType, int, const void*, void*,
                                         cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t);
#define HOCKET_SAME_OVERLOAD(name, ...)                           \
  static_assert(same_interface<std::type_identity_t<__VA_ARGS__>, \
                               decltype(static_cast<extended_gemm>(&::name))>::value)
HOCKET_CUBLAS_OVERLOADED(HOCKET_SAME_OVERLOAD);
#undef HOCKET_SAME_OVERLOAD
static_assert(passes_like<blas_code, cublasStatus_t>);
static_assert(static_cast<int>(blas_operation::none) == CUBLAS_OP_N);
static_assert(static_cast<int>(blas_operation::transpose) == CUBLAS_OP_T);
static_assert(static_cast<int>(blas_number::float32) == CUDA_R_32F);
static_assert(static_cast<int>(blas_number::float16) == CUDA_R_16F);
static_assert(static_cast<int>(blas_number::bfloat16) == CUDA_R_16BF);
static_assert(sums_are_floats == CUBLAS_COMPUTE_32F);
static_assert(any_algorithm == CUBLAS_GEMM_DEFAULT);
static_assert(sums_keep_precision == CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
static_assert(products_may_be_tf32 == CUBLAS_TF32_TENSOR_OP_MATH);
#endif
#undef HOCKET_SAME

static_assert(passes_like<gpu::host_function, CUhostFn>);
static_assert(passes_like<device_address, CUdeviceptr>);
static_assert(passes_like<device_number, CUdevice>);
static_assert(passes_like<code, CUresult>);
static_assert(passes_like<gpu::compiler_code, nvrtcResult>);

template <class Ours, class Theirs>
constexpr bool is_like = sizeof(Ours) == sizeof(Theirs) && alignof(Ours) == alignof(Theirs);
static_assert(is_like<copy_3d, CUDA_MEMCPY3D>);
static_assert(is_like<copy_3d, CUDA_MEMCPY3D_PEER>);

// The ends follow one another in both, so that the members of one fix those of the other.
static_assert(offsetof(copy_3d, from) + offsetof(end_3d, x_bytes) ==
              offsetof(CUDA_MEMCPY3D, srcXInBytes));
static_assert(offsetof(end_3d, y) == offsetof(CUDA_MEMCPY3D, srcY));
static_assert(offsetof(end_3d, z) == offsetof(CUDA_MEMCPY3D, srcZ));
static_assert(offsetof(end_3d, level) == offsetof(CUDA_MEMCPY3D, srcLOD));
static_assert(offsetof(end_3d, kind) == offsetof(CUDA_MEMCPY3D, srcMemoryType));
static_assert(offsetof(end_3d, host) == offsetof(CUDA_MEMCPY3D, srcHost));
static_assert(offsetof(end_3d, device) == offsetof(CUDA_MEMCPY3D, srcDevice));
static_assert(offsetof(end_3d, array) == offsetof(CUDA_MEMCPY3D, srcArray));
static_assert(offsetof(end_3d, pitch) == offsetof(CUDA_MEMCPY3D, srcPitch));
static_assert(offsetof(end_3d, height) == offsetof(CUDA_MEMCPY3D, srcHeight));
static_assert(offsetof(copy_3d, to) == offsetof(CUDA_MEMCPY3D, dstXInBytes));
static_assert(offsetof(copy_3d, to) + offsetof(end_3d, height) ==
              offsetof(CUDA_MEMCPY3D, dstHeight));
static_assert(offsetof(copy_3d, width_bytes) == offsetof(CUDA_MEMCPY3D, WidthInBytes));
static_assert(offsetof(copy_3d, height) == offsetof(CUDA_MEMCPY3D, Height));
static_assert(offsetof(copy_3d, depth) == offsetof(CUDA_MEMCPY3D, Depth));
static_assert(offsetof(end_3d, device) == offsetof(CUDA_MEMCPY3D_PEER, srcDevice));
static_assert(offsetof(end_3d, context) == offsetof(CUDA_MEMCPY3D_PEER, srcContext));
static_assert(offsetof(end_3d, pitch) == offsetof(CUDA_MEMCPY3D_PEER, srcPitch));
static_assert(offsetof(copy_3d, to) == offsetof(CUDA_MEMCPY3D_PEER, dstXInBytes));
static_assert(offsetof(copy_3d, to) + offsetof(end_3d, context) ==
              offsetof(CUDA_MEMCPY3D_PEER, dstContext));
static_assert(offsetof(copy_3d, depth) == offsetof(CUDA_MEMCPY3D_PEER, Depth));

static_assert(int(memory_kind::host) == CU_MEMORYTYPE_HOST);
static_assert(int(memory_kind::device) == CU_MEMORYTYPE_DEVICE);
static_assert(int(attribute::max_block_items) == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
static_assert(int(attribute::max_block_x) == CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
static_assert(int(attribute::max_block_y) == CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
static_assert(int(attribute::max_block_z) == CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
static_assert(int(attribute::clock_khz) == CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
static_assert(int(attribute::multiprocessors) == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(int(attribute::compute_mode) == CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
static_assert(int(attribute::pci_bus) == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
static_assert(int(attribute::pci_device) == CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);
static_assert(int(attribute::pci_domain) == CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID);
static_assert(int(attribute::memory_clock_khz) == CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
static_assert(int(attribute::memory_bus_bits) == CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
static_assert(int(attribute::unified_addressing) == CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING);
static_assert(int(attribute::capability_major) == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(int(attribute::capability_minor) == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(compute_mode_prohibited == CU_COMPUTEMODE_PROHIBITED);
static_assert(gpu::stream_non_blocking == CU_STREAM_NON_BLOCKING);
static_assert(gpu::event_blocking_sync == CU_EVENT_BLOCKING_SYNC);
static_assert(gpu::host_memory_portable == CU_MEMHOSTALLOC_PORTABLE);
static_assert(pointer_memory_kind == CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
static_assert(load_error_log == CU_JIT_ERROR_LOG_BUFFER);
static_assert(load_error_log_bytes == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
static_assert(success == CUDA_SUCCESS && int(NVRTC_SUCCESS) == success);
static_assert(gpu::no_device == CUDA_ERROR_NO_DEVICE && gpu::not_ready == CUDA_ERROR_NOT_READY);
static_assert(gpu::capture_of_this_thread == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);

}  // namespace

#define HOCKET_NAMED(name) \
  EXPECT_EQ(driver_api().name_of(name), #name " (" + std::to_string(name) + ")")

TEST(cuda_abi, codes_have_the_names_of_the_header) {
  HOCKET_NAMED(CUDA_ERROR_INVALID_VALUE);
  HOCKET_NAMED(CUDA_ERROR_OUT_OF_MEMORY);
  HOCKET_NAMED(CUDA_ERROR_NOT_INITIALIZED);
  HOCKET_NAMED(CUDA_ERROR_DEINITIALIZED);
  HOCKET_NAMED(CUDA_ERROR_STUB_LIBRARY);
  HOCKET_NAMED(CUDA_ERROR_DEVICE_UNAVAILABLE);
  HOCKET_NAMED(CUDA_ERROR_NO_DEVICE);
  HOCKET_NAMED(CUDA_ERROR_INVALID_DEVICE);
  HOCKET_NAMED(CUDA_ERROR_INVALID_IMAGE);
  HOCKET_NAMED(CUDA_ERROR_INVALID_CONTEXT);
  HOCKET_NAMED(CUDA_ERROR_NO_BINARY_FOR_GPU);
  HOCKET_NAMED(CUDA_ERROR_ECC_UNCORRECTABLE);
  HOCKET_NAMED(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
  HOCKET_NAMED(CUDA_ERROR_INVALID_PTX);
  HOCKET_NAMED(CUDA_ERROR_NVLINK_UNCORRECTABLE);
  HOCKET_NAMED(CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
  HOCKET_NAMED(CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  HOCKET_NAMED(CUDA_ERROR_OPERATING_SYSTEM);
  HOCKET_NAMED(CUDA_ERROR_INVALID_HANDLE);
  HOCKET_NAMED(CUDA_ERROR_NOT_FOUND);
  HOCKET_NAMED(CUDA_ERROR_NOT_READY);
  HOCKET_NAMED(CUDA_ERROR_ILLEGAL_ADDRESS);
  HOCKET_NAMED(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  HOCKET_NAMED(CUDA_ERROR_LAUNCH_TIMEOUT);
  HOCKET_NAMED(CUDA_ERROR_CONTEXT_IS_DESTROYED);
  HOCKET_NAMED(CUDA_ERROR_ASSERT);
  HOCKET_NAMED(CUDA_ERROR_HARDWARE_STACK_ERROR);
  HOCKET_NAMED(CUDA_ERROR_ILLEGAL_INSTRUCTION);
  HOCKET_NAMED(CUDA_ERROR_MISALIGNED_ADDRESS);
  HOCKET_NAMED(CUDA_ERROR_INVALID_ADDRESS_SPACE);
  HOCKET_NAMED(CUDA_ERROR_INVALID_PC);
  HOCKET_NAMED(CUDA_ERROR_LAUNCH_FAILED);
  HOCKET_NAMED(CUDA_ERROR_NOT_PERMITTED);
  HOCKET_NAMED(CUDA_ERROR_NOT_SUPPORTED);
  HOCKET_NAMED(CUDA_ERROR_SYSTEM_NOT_READY);
  HOCKET_NAMED(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
  HOCKET_NAMED(CUDA_ERROR_MPS_CLIENT_TERMINATED);
  HOCKET_NAMED(CUDA_ERROR_UNKNOWN);
}

}  // namespace hocket::cuda
