// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Compares what the stand-in believes of the binary interface with the vendor's header, when it is
// compiled.

#define __CUDA_API_VERSION_INTERNAL  // the header declares all versions of the functions, under
                                     // their own names
#include <cuda.h>
#include <gtest/gtest.h>

#include <type_traits>

#include "entry_points.hpp"

namespace standin::testing {

namespace {

template <class Ours, class Theirs>
constexpr bool alike =
    sizeof(Ours) == sizeof(Theirs) &&
    std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>&& std::is_floating_point_v<Ours> ==
        std::is_floating_point_v<Theirs>;

template <class Ours, class Theirs>
struct same_interface : std::false_type {};
template <class... Ours, class Result, class... Theirs>
requires(sizeof...(Ours) ==
         sizeof...(Theirs)) struct same_interface<int(Ours...), Result(Theirs...)>
    : std::bool_constant<(alike<Ours, Theirs> && ...)> {
};

#define HOCKET_STANDIN_COMPARE(name, parameters) \
  static_assert(same_interface<int parameters, decltype(::name)>::value, #name);
HOCKET_STANDIN_ENTRIES(HOCKET_STANDIN_COMPARE)
#undef HOCKET_STANDIN_COMPARE

constexpr bool same(int ours, int theirs) { return ours == theirs; }

static_assert(same(success, CUDA_SUCCESS) && same(invalid_value, CUDA_ERROR_INVALID_VALUE));
static_assert(same(out_of_memory, CUDA_ERROR_OUT_OF_MEMORY));
static_assert(same(not_initialized, CUDA_ERROR_NOT_INITIALIZED) &&
              same(no_device, CUDA_ERROR_NO_DEVICE));
static_assert(same(device_unavailable, CUDA_ERROR_DEVICE_UNAVAILABLE));
static_assert(same(invalid_device, CUDA_ERROR_INVALID_DEVICE));
static_assert(same(invalid_image, CUDA_ERROR_INVALID_IMAGE));
static_assert(same(link_input_ptx, CU_JIT_INPUT_PTX));
static_assert(same(invalid_context, CUDA_ERROR_INVALID_CONTEXT));
static_assert(same(no_binary_for_gpu, CUDA_ERROR_NO_BINARY_FOR_GPU));
static_assert(same(ecc_uncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE));
static_assert(same(invalid_ptx, CUDA_ERROR_INVALID_PTX) && same(not_found, CUDA_ERROR_NOT_FOUND));
static_assert(same(invalid_handle, CUDA_ERROR_INVALID_HANDLE) &&
              same(not_ready, CUDA_ERROR_NOT_READY));
static_assert(same(illegal_state, CUDA_ERROR_ILLEGAL_STATE));
static_assert(same(illegal_address, CUDA_ERROR_ILLEGAL_ADDRESS));
static_assert(same(launch_out_of_resources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES));
static_assert(same(launch_timeout, CUDA_ERROR_LAUNCH_TIMEOUT) &&
              same(assertion, CUDA_ERROR_ASSERT));
static_assert(same(peer_access_already_enabled, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED));
static_assert(same(peer_access_not_enabled, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED));
static_assert(same(context_is_destroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED));
static_assert(same(host_memory_already_registered, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED));
static_assert(same(host_memory_not_registered, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED));
static_assert(same(misaligned_address, CUDA_ERROR_MISALIGNED_ADDRESS));
static_assert(same(launch_failed, CUDA_ERROR_LAUNCH_FAILED) && same(unknown, CUDA_ERROR_UNKNOWN));
static_assert(same(not_permitted, CUDA_ERROR_NOT_PERMITTED));
static_assert(same(not_supported, CUDA_ERROR_NOT_SUPPORTED));
static_assert(same(on_host, CU_MEMORYTYPE_HOST) && same(on_device, CU_MEMORYTYPE_DEVICE));
static_assert(same(in_array, CU_MEMORYTYPE_ARRAY) && same(unified, CU_MEMORYTYPE_UNIFIED));

static_assert(sizeof(uuid) == sizeof(CUuuid) && sizeof(copy_2d) == sizeof(CUDA_MEMCPY2D));
static_assert(sizeof(copy_3d) == sizeof(CUDA_MEMCPY3D));
static_assert(sizeof(copy_3d) == sizeof(CUDA_MEMCPY3D_PEER));

/// Compares the offsets of parts whose order could be mistaken.
TEST(standin_interface, lays_out_copies_as_the_header_does) {
  EXPECT_EQ(offsetof(copy_2d, source_pitch), offsetof(CUDA_MEMCPY2D, srcPitch));
  EXPECT_EQ(offsetof(copy_2d, target_device), offsetof(CUDA_MEMCPY2D, dstDevice));
  EXPECT_EQ(offsetof(copy_2d, width), offsetof(CUDA_MEMCPY2D, WidthInBytes));
  EXPECT_EQ(offsetof(copy_3d, source_type), offsetof(CUDA_MEMCPY3D_PEER, srcMemoryType));
  EXPECT_EQ(offsetof(copy_3d, source_context), offsetof(CUDA_MEMCPY3D_PEER, srcContext));
  EXPECT_EQ(offsetof(copy_3d, source_pitch), offsetof(CUDA_MEMCPY3D, srcPitch));
  EXPECT_EQ(offsetof(copy_3d, source_height), offsetof(CUDA_MEMCPY3D, srcHeight));
  EXPECT_EQ(offsetof(copy_3d, target_context), offsetof(CUDA_MEMCPY3D_PEER, dstContext));
  EXPECT_EQ(offsetof(copy_3d, target_device), offsetof(CUDA_MEMCPY3D, dstDevice));
  EXPECT_EQ(offsetof(copy_3d, target_pitch), offsetof(CUDA_MEMCPY3D, dstPitch));
  EXPECT_EQ(offsetof(copy_3d, depth), offsetof(CUDA_MEMCPY3D, Depth));
}

}  // namespace

}  // namespace standin::testing
