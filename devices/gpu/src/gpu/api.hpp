// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>

#include <hocket/core/error.hpp>

#include "gpu/types.hpp"

namespace hocket {
enum class kernel_format : std::uint8_t;
}

namespace hocket::gpu {

/// Every function that both drivers have in the same form: each(member, name in CUDA, name in HIP,
/// type). CUDA 11.4 and ROCm 5.2 have them all.
#define HOCKET_GPU_FUNCTIONS(each)                                                               \
  each(can_access_peer, cuDeviceCanAccessPeer, hipDeviceCanAccessPeer,                           \
       code (*)(int*, device_number, device_number));                                            \
  each(capture_begin, cuStreamBeginCapture_v2, hipStreamBeginCapture,                            \
       code (*)(stream_handle, int));                                                            \
  each(capture_end, cuStreamEndCapture, hipStreamEndCapture,                                     \
       code (*)(stream_handle, graph_handle*));                                                  \
  each(copy_to_device, cuMemcpyHtoDAsync_v2, hipMemcpyHtoDAsync,                                 \
       code (*)(device_address, const void*, std::size_t, stream_handle));                       \
  each(copy_to_host, cuMemcpyDtoHAsync_v2, hipMemcpyDtoHAsync,                                   \
       code (*)(void*, device_address, std::size_t, stream_handle));                             \
  each(copy_within, cuMemcpyDtoDAsync_v2, hipMemcpyDtoDAsync,                                    \
       code (*)(device_address, device_address, std::size_t, stream_handle));                    \
  each(device_attribute, cuDeviceGetAttribute, hipDeviceGetAttribute,                            \
       code (*)(int*, int, device_number));                                                      \
  each(device_count, cuDeviceGetCount, hipGetDeviceCount, code (*)(int*));                       \
  each(device_get, cuDeviceGet, hipDeviceGet, code (*)(device_number*, int));                    \
  each(device_memory, cuDeviceTotalMem_v2, hipDeviceTotalMem,                                    \
       code (*)(std::size_t*, device_number));                                                   \
  each(device_name, cuDeviceGetName, hipDeviceGetName, code (*)(char*, int, device_number));     \
  each(driver_version, cuDriverGetVersion, hipRuntimeGetVersion, code (*)(int*));                \
  each(event_create, cuEventCreate, hipEventCreateWithFlags, code (*)(event_handle*, unsigned)); \
  each(event_destroy, cuEventDestroy_v2, hipEventDestroy, code (*)(event_handle));               \
  each(event_elapsed, cuEventElapsedTime, hipEventElapsedTime,                                   \
       code (*)(float*, event_handle, event_handle));                                            \
  each(event_query, cuEventQuery, hipEventQuery, code (*)(event_handle));                        \
  each(event_record, cuEventRecord, hipEventRecord, code (*)(event_handle, stream_handle));      \
  each(event_synchronize, cuEventSynchronize, hipEventSynchronize, code (*)(event_handle));      \
  each(graph_destroy, cuGraphDestroy, hipGraphDestroy, code (*)(graph_handle));                  \
  each(graph_instantiate, cuGraphInstantiateWithFlags, hipGraphInstantiateWithFlags,             \
       code (*)(runnable_handle*, graph_handle, unsigned long long));                            \
  each(graph_launch, cuGraphLaunch, hipGraphLaunch, code (*)(runnable_handle, stream_handle));   \
  each(host_register, cuMemHostRegister_v2, hipHostRegister,                                     \
       code (*)(void*, std::size_t, unsigned));                                                  \
  each(host_unregister, cuMemHostUnregister, hipHostUnregister, code (*)(void*));                \
  each(initialize, cuInit, hipInit, code (*)(unsigned));                                         \
  each(launch_host_function, cuLaunchHostFunc, hipLaunchHostFunc,                                \
       code (*)(stream_handle, host_function, void*));                                           \
  each(launch_kernel, cuLaunchKernel, hipModuleLaunchKernel,                                     \
       code (*)(function_handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,     \
                unsigned, stream_handle, void**, void**));                                       \
  each(memory_allocate, cuMemAlloc_v2, hipMalloc, code (*)(device_address*, std::size_t));       \
  each(memory_free, cuMemFree_v2, hipFree, code (*)(device_address));                            \
  each(module_function, cuModuleGetFunction, hipModuleGetFunction,                               \
       code (*)(function_handle*, module_handle, const char*));                                  \
  each(module_unload, cuModuleUnload, hipModuleUnload, code (*)(module_handle));                 \
  each(pinned_allocate, cuMemHostAlloc, hipHostMalloc, code (*)(void**, std::size_t, unsigned)); \
  each(pinned_free, cuMemFreeHost, hipHostFree, code (*)(void*));                                \
  each(runnable_destroy, cuGraphExecDestroy, hipGraphExecDestroy, code (*)(runnable_handle));    \
  each(stream_create, cuStreamCreate, hipStreamCreateWithFlags,                                  \
       code (*)(stream_handle*, unsigned));                                                      \
  each(stream_destroy, cuStreamDestroy_v2, hipStreamDestroy, code (*)(stream_handle));           \
  each(stream_synchronize, cuStreamSynchronize, hipStreamSynchronize, code (*)(stream_handle));  \
  each(stream_wait, cuStreamWaitEvent, hipStreamWaitEvent,                                       \
       code (*)(stream_handle, event_handle, unsigned));                                         \
  each(synchronize, cuCtxSynchronize, hipDeviceSynchronize, code (*)())

/// A driver: the functions that both have in the same form, and what each does in its own way.
/// Any thread.
class api {
 public:
#define HOCKET_GPU_DECLARE(member, cuda, hip, ...) \
  std::type_identity_t<__VA_ARGS__> member = nullptr
  HOCKET_GPU_FUNCTIONS(HOCKET_GPU_DECLARE);
#undef HOCKET_GPU_DECLARE

  /// The driver is gone: there is nothing to release any more.
  mutable std::atomic<bool> gone{false};

  api() = default;
  virtual ~api() = default;
  api(const api&) = delete;
  api& operator=(const api&) = delete;

  /// "CUDA".
  [[nodiscard]] virtual const char* title() const noexcept = 0;
  /// Of the backend: "cuda".
  [[nodiscard]] virtual const char* backend() const noexcept = 0;
  /// Of bodies that enqueue commands of the driver.
  [[nodiscard]] virtual kernel_format commands() const noexcept = 0;
  /// Calls it with the place of such a body, whose context is the current one.
  virtual void with_place(context_handle in, device_number device, stream_handle stream,
                          const std::function<void(const void* place)>& call) const = 0;
  /// "12.4", of what driver_version() says.
  [[nodiscard]] virtual std::string version_text(int version) const = 0;
  /// "CUDA_ERROR_OUT_OF_MEMORY (2)".
  [[nodiscard]] virtual std::string name_of(code of) const = 0;
  /// The kind of failure that a code stands for.
  [[nodiscard]] virtual failure_code meaning_of(code of) const noexcept = 0;

  /// The context of a device that all libraries of the program use, until release().
  [[nodiscard]] virtual code retain(context_handle& made, device_number device) const = 0;
  virtual void release(device_number device) const noexcept = 0;
  /// Makes the context the thread's current one; before is what leave() is to be given.
  [[nodiscard]] virtual code enter(context_handle context, context_handle& before) const = 0;
  virtual void leave(context_handle before) const noexcept = 0;
  /// Kernels and copies of the current context's device may use memory of the other context.
  virtual void use_memory_of(context_handle other) const noexcept = 0;

  /// The form of a compiled program that is kept on disk: machine code for the device of
  /// the current context. The program itself where that is machine code already, or where the
  /// driver makes none of it.
  [[nodiscard]] virtual std::string machine_code(const std::string& program) const {
    return program;
  }
  /// Loads a compiled program into the current context. log: what the driver says of it.
  [[nodiscard]] virtual code load(module_handle& made, const std::string& binary,
                                  std::string& log) const = 0;
  [[nodiscard]] virtual code copy_between(device_address to, context_handle to_context,
                                          device_address from, context_handle from_context,
                                          std::size_t bytes, stream_handle stream) const = 0;
  [[nodiscard]] virtual code copy_box(const box_copy& what, stream_handle stream) const = 0;
  /// True if the driver knows the byte as memory of the host that it copies from and to by itself.
  [[nodiscard]] virtual bool is_pinned(const void* host) const = 0;
};

}  // namespace hocket::gpu
