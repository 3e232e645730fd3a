// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The functions of HIP that are those of CUDA under other names, and copies, which differ a little.

#include <algorithm>

#include "driver.hpp"
#include "forward.hpp"

using namespace standin;

/// each(name in HIP, name in CUDA, parameters, arguments)
#define HOCKET_STANDIN_SAME(each)                                                                  \
  each(hipStreamCreateWithFlags, cuStreamCreate, (void** made, unsigned flags), made, flags) each( \
      hipStreamDestroy, cuStreamDestroy_v2, (void* stream), stream)                                \
      each(hipStreamSynchronize, cuStreamSynchronize, (void* stream), stream) each(                \
          hipStreamWaitEvent, cuStreamWaitEvent, (void* stream, void* event, unsigned flags),      \
          stream, event, flags) each(hipStreamBeginCapture, cuStreamBeginCapture_v2,               \
                                     (void* stream, int mode), stream,                             \
                                     mode) each(hipStreamEndCapture, cuStreamEndCapture,           \
                                                (void* stream, void** graph), stream, graph)       \
          each(hipGraphInstantiateWithFlags, cuGraphInstantiateWithFlags,                          \
               (void** made, void* graph, unsigned long long flags), made, graph,                  \
               flags) each(hipGraphLaunch, cuGraphLaunch, (void* graph, void* stream), graph,      \
                           stream) each(hipGraphDestroy, cuGraphDestroy, (void* graph), graph)     \
              each(hipGraphExecDestroy, cuGraphExecDestroy, (void* graph), graph) each(            \
                  hipEventCreateWithFlags, cuEventCreate, (void** event, unsigned flags), event,   \
                  flags) each(hipEventRecord, cuEventRecord, (void* event, void* stream), event,   \
                              stream) each(hipEventQuery, cuEventQuery, (void* event), event)      \
                  each(hipEventSynchronize, cuEventSynchronize, (void* event), event)              \
                      each(hipEventDestroy, cuEventDestroy_v2, (void* event), event) each(         \
                          hipEventElapsedTime, cuEventElapsedTime,                                 \
                          (float* time, void* from, void* to), time, from, to)                     \
                          each(hipLaunchHostFunc, cuLaunchHostFunc,                                \
                               (void* stream, void (*call)(void*), void* data), stream, call,      \
                               data) each(hipModuleLoadData, cuModuleLoadData,                     \
                                          (void** module, const void* image), module, image)       \
                              each(hipModuleUnload, cuModuleUnload, (void* module), module) each(  \
                                  hipModuleGetFunction, cuModuleGetFunction,                       \
                                  (void** function, void* module, const char* name), function,     \
                                  module,                                                          \
                                  name) each(hipModuleLaunchKernel, cuLaunchKernel,                \
                                             (void* function, unsigned gx, unsigned gy,            \
                                              unsigned gz, unsigned bx, unsigned by, unsigned bz,  \
                                              unsigned shared, void* stream, void** parameters,    \
                                              void** extra),                                       \
                                             function, gx, gy, gz, bx, by, bz, shared, stream,     \
                                             parameters, extra)                                    \
                                  each(hipMalloc, cuMemAlloc_v2,                                   \
                                       (unsigned long long* address, std::size_t bytes),           \
                                       address, bytes) each(hipFree, cuMemFree_v2,                 \
                                                            (unsigned long long address), address) \
                                      each(hipHostMalloc, cuMemHostAlloc,                          \
                                           (void** address, std::size_t bytes, unsigned flags),    \
                                           address, bytes, flags) each(hipHostFree, cuMemFreeHost, \
                                                                       (void* address), address)   \
                                          each(hipHostRegister, cuMemHostRegister_v2,              \
                                               (void* address, std::size_t bytes, unsigned flags), \
                                               address, bytes,                                     \
                                               flags) each(hipHostUnregister, cuMemHostUnregister, \
                                                           (void* address), address)               \
                                              each(hipMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2,       \
                                                   (unsigned long long to, const void* from,       \
                                                    std::size_t bytes, void* stream),              \
                                                   to, from, bytes, stream)                        \
                                                  each(hipMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2,   \
                                                       (void* to, unsigned long long from,         \
                                                        std::size_t bytes, void* stream),          \
                                                       to, from, bytes, stream)                    \
                                                      each(hipMemcpyDtoDAsync,                     \
                                                           cuMemcpyDtoDAsync_v2,                   \
                                                           (unsigned long long to,                 \
                                                            unsigned long long from,               \
                                                            std::size_t bytes, void* stream),      \
                                                           to, from, bytes, stream)

#define HOCKET_STANDIN_FORWARD(hip, cuda, parameters, ...) \
  HOCKET_STANDIN_HIP int hip parameters { return with_device(cuda, __VA_ARGS__); }
HOCKET_STANDIN_SAME(HOCKET_STANDIN_FORWARD)
#undef HOCKET_STANDIN_FORWARD

HOCKET_STANDIN_HIP int hipMemcpyPeerAsync(unsigned long long to, int to_device,
                                          unsigned long long from, int from_device,
                                          std::size_t bytes, void* stream) {
  return with_device(cuMemcpyPeerAsync, to, context_of_device(to_device), from,
                     context_of_device(from_device), bytes, stream);
}

namespace {

/// As the vendor's header has it.
struct hip_end {
  void* array;
  std::size_t x, y, z;
  void* address;
  std::size_t pitch, row, height;
};
struct hip_copy {
  hip_end from, to;
  std::size_t width, height, depth;
  int kind;
};

/// The device whose memory it is; -1 for memory of the host.
int device_of(const void* address) {
  const device* const owner = driver::get().owner_of(reinterpret_cast<std::uint64_t>(address));
  return owner == nullptr ? -1 : owner->number;
}

}  // namespace

HOCKET_STANDIN_HIP int hipMemcpy3DAsync(const hip_copy* what, void* stream) {
  constexpr int to_device = 1, to_host = 2, between = 3;
  if (what == nullptr || what->from.array != nullptr || what->to.array != nullptr) {
    return invalid_value;
  }
  const int from = device_of(what->from.address), to = device_of(what->to.address);
  const int kind = from < 0 ? to_device : to < 0 ? to_host : between;
  if (what->kind != kind) return 21;  // hipErrorInvalidMemcpyDirection
  copy_3d made{};
  made.source_x = what->from.x;
  made.source_y = what->from.y;
  made.source_z = what->from.z;
  made.source_type = from < 0 ? on_host : on_device;
  made.source_host = what->from.address;
  made.source_device = reinterpret_cast<device_pointer>(what->from.address);
  made.source_pitch = what->from.pitch;
  made.source_height = what->from.height;
  made.target_x = what->to.x;
  made.target_y = what->to.y;
  made.target_z = what->to.z;
  made.target_type = to < 0 ? on_host : on_device;
  made.target_host = what->to.address;
  made.target_device = reinterpret_cast<device_pointer>(what->to.address);
  made.target_pitch = what->to.pitch;
  made.target_height = what->to.height;
  made.width = what->width;
  made.height = what->height;
  made.depth = what->depth;
  if (kind != between || from == to) return with_device(cuMemcpy3DAsync_v2, &made, stream);
  made.source_context = context_of_device(from);
  made.target_context = context_of_device(to);
  return with_device(cuMemcpy3DPeerAsync, &made, stream);
}

/// ROCm 6 has a kind for memory that it does not know.
HOCKET_STANDIN_HIP int hipPointerGetAttribute(void* value, int attribute,
                                              unsigned long long address) {
  constexpr int kind_of_memory = 2, unregistered = 0;
  const int answer = with_device(cuPointerGetAttribute, value, attribute, address);
  if (answer != invalid_value || attribute != kind_of_memory || value == nullptr) return answer;
  *static_cast<int*>(value) = unregistered;
  return success;
}
