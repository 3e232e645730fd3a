// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Compares the binary interface that the backend declares with the headers of a ROCm.

#include <gtest/gtest.h>

#include <type_traits>

#include "driver.hpp"
#include "gpu/compiler_functions.hpp"

#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>

namespace hocket::hip {

namespace {

/// True if values of the types are passed in the same way: pointers and addresses are.
template <class Ours, class Theirs>
constexpr bool passes_like =
    std::is_void_v<Ours> == std::is_void_v<Theirs> && !std::is_floating_point_v<Ours> &&
    !std::is_floating_point_v<Theirs> && sizeof(Ours) == sizeof(Theirs);

template <class Ours, class Theirs>
struct same_interface : std::false_type {};
template <class A, class... As, class B, class... Bs>
requires(sizeof...(As) == sizeof...(Bs)) struct same_interface<A (*)(As...), B (*)(Bs...)>
    : std::bool_constant<passes_like<A, B> && (... && passes_like<As, Bs>)> {
};

using namespace gpu;  // the list of functions has its types

#define HOCKET_SAME(name, ...) \
  static_assert(               \
      same_interface<std::type_identity_t<__VA_ARGS__>, hip_function<decltype(::name)>>::value)
template <class F>
using hip_function = F*;
HOCKET_HIP_FUNCTIONS(HOCKET_SAME);
#undef HOCKET_SAME

#define HOCKET_SAME_AS_HIPRTC(member, nvrtc, hiprtc, ...) \
  static_assert(                                          \
      same_interface<std::type_identity_t<__VA_ARGS__>, hip_function<decltype(::hiprtc)>>::value)
HOCKET_GPU_COMPILER_FUNCTIONS(HOCKET_SAME_AS_HIPRTC);
#undef HOCKET_SAME_AS_HIPRTC

// The header has two of the names as templates too, of which no one address can be taken.
hipError_t plain_malloc(void** made, std::size_t bytes);
hipError_t plain_host_malloc(void** made, std::size_t bytes, unsigned flags);
static_assert(std::is_same_v<decltype(static_cast<decltype(&plain_malloc)>(&::hipMalloc)),
                             decltype(&plain_malloc)>);
static_assert(std::is_same_v<decltype(static_cast<decltype(&plain_host_malloc)>(&::hipHostMalloc)),
                             decltype(&plain_host_malloc)>);
#define hipMalloc plain_malloc
#define hipHostMalloc plain_host_malloc
#define HOCKET_SAME_AS_HIP(member, cuda, hip, ...) \
  static_assert(                                   \
      same_interface<std::type_identity_t<__VA_ARGS__>, hip_function<decltype(hip)>>::value)
HOCKET_GPU_FUNCTIONS(HOCKET_SAME_AS_HIP);
#undef HOCKET_SAME_AS_HIP
#undef hipMalloc
#undef hipHostMalloc

static_assert(sizeof(copy_3d) == sizeof(hipMemcpy3DParms));
static_assert(offsetof(copy_3d, to) == offsetof(hipMemcpy3DParms, dstArray));
static_assert(offsetof(end_3d, x_bytes) == offsetof(hipMemcpy3DParms, srcPos));
static_assert(offsetof(end_3d, address) == offsetof(hipMemcpy3DParms, srcPtr));
static_assert(offsetof(copy_3d, width_bytes) == offsetof(hipMemcpy3DParms, extent));
static_assert(offsetof(copy_3d, way) == offsetof(hipMemcpy3DParms, kind));
static_assert(offsetof(hipPitchedPtr, pitch) ==
              offsetof(end_3d, pitch) - offsetof(end_3d, address));
static_assert(offsetof(hipPitchedPtr, ysize) ==
              offsetof(end_3d, height) - offsetof(end_3d, address));
static_assert(int(direction::to_device) == hipMemcpyHostToDevice);
static_assert(int(direction::to_host) == hipMemcpyDeviceToHost);
static_assert(int(direction::between_devices) == hipMemcpyDeviceToDevice);

constexpr bool is_before_6 = HIP_VERSION_MAJOR < 6;
static_assert(offsetof(hipDeviceProp_t, gcnArchName) ==
              (is_before_6 ? properties::architecture_before_6 : properties::architecture));
static_assert(sizeof(hipDeviceProp_t) <= properties::bytes);
static_assert(hipMemoryTypeHost == (is_before_6 ? host_memory_before_6 : host_memory));

static_assert(int(attribute::clock_khz) == hipDeviceAttributeClockRate);
static_assert(int(attribute::compute_mode) == hipDeviceAttributeComputeMode);
static_assert(int(attribute::max_block_x) == hipDeviceAttributeMaxBlockDimX);
static_assert(int(attribute::max_block_y) == hipDeviceAttributeMaxBlockDimY);
static_assert(int(attribute::max_block_z) == hipDeviceAttributeMaxBlockDimZ);
static_assert(int(attribute::max_block_items) == hipDeviceAttributeMaxThreadsPerBlock);
static_assert(int(attribute::memory_bus_bits) == hipDeviceAttributeMemoryBusWidth);
static_assert(int(attribute::memory_clock_khz) == hipDeviceAttributeMemoryClockRate);
static_assert(int(attribute::multiprocessors) == hipDeviceAttributeMultiprocessorCount);
static_assert(int(attribute::pci_bus) == hipDeviceAttributePciBusId);
static_assert(int(attribute::pci_device) == hipDeviceAttributePciDeviceId);
static_assert(int(attribute::pci_domain) == hipDeviceAttributePciDomainID);
static_assert(compute_mode_prohibited == hipComputeModeProhibited);
static_assert(pointer_memory_kind == HIP_POINTER_ATTRIBUTE_MEMORY_TYPE);
static_assert(gpu::stream_non_blocking == hipStreamNonBlocking);
static_assert(gpu::event_blocking_sync == hipEventBlockingSync);
static_assert(gpu::host_memory_portable == hipHostMallocPortable);
static_assert(gpu::host_memory_portable == hipHostRegisterPortable);
static_assert(gpu::capture_of_this_thread == hipStreamCaptureModeThreadLocal);
static_assert(gpu::no_device == hipErrorNoDevice && gpu::not_ready == hipErrorNotReady);

}  // namespace

#define HOCKET_NAMED(name) \
  EXPECT_EQ(driver_api().name_of(name), #name " (" + std::to_string(name) + ")")

TEST(hip_abi, codes_have_the_names_of_the_header) {
  HOCKET_NAMED(hipErrorInvalidValue);
  HOCKET_NAMED(hipErrorOutOfMemory);
  HOCKET_NAMED(hipErrorNotInitialized);
  HOCKET_NAMED(hipErrorDeinitialized);
  HOCKET_NAMED(hipErrorInvalidConfiguration);
  HOCKET_NAMED(hipErrorInvalidDevicePointer);
  HOCKET_NAMED(hipErrorInsufficientDriver);
  HOCKET_NAMED(hipErrorInvalidDeviceFunction);
  HOCKET_NAMED(hipErrorNoDevice);
  HOCKET_NAMED(hipErrorInvalidDevice);
  HOCKET_NAMED(hipErrorInvalidImage);
  HOCKET_NAMED(hipErrorInvalidContext);
  HOCKET_NAMED(hipErrorNoBinaryForGpu);
  HOCKET_NAMED(hipErrorECCNotCorrectable);
  HOCKET_NAMED(hipErrorPeerAccessUnsupported);
  HOCKET_NAMED(hipErrorInvalidKernelFile);
  HOCKET_NAMED(hipErrorSharedObjectSymbolNotFound);
  HOCKET_NAMED(hipErrorSharedObjectInitFailed);
  HOCKET_NAMED(hipErrorOperatingSystem);
  HOCKET_NAMED(hipErrorInvalidHandle);
  HOCKET_NAMED(hipErrorIllegalState);
  HOCKET_NAMED(hipErrorNotFound);
  HOCKET_NAMED(hipErrorNotReady);
  HOCKET_NAMED(hipErrorIllegalAddress);
  HOCKET_NAMED(hipErrorLaunchOutOfResources);
  HOCKET_NAMED(hipErrorLaunchTimeOut);
  HOCKET_NAMED(hipErrorPeerAccessAlreadyEnabled);
  HOCKET_NAMED(hipErrorContextIsDestroyed);
  HOCKET_NAMED(hipErrorAssert);
  HOCKET_NAMED(hipErrorLaunchFailure);
  HOCKET_NAMED(hipErrorNotSupported);
  HOCKET_NAMED(hipErrorUnknown);
  HOCKET_NAMED(hipErrorRuntimeMemory);
  HOCKET_NAMED(hipErrorRuntimeOther);
}

}  // namespace hocket::hip
