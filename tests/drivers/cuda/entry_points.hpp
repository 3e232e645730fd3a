// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include <cstddef>
#include <cstdint>

#include "abi.hpp"

// The functions of the driver API that the stand-in exports: F(name, parameters) for each. All
// return a code.
#define HOCKET_STANDIN_DEVICE_ENTRIES(F)                                            \
  F(cuInit, (unsigned flags))                                                       \
  F(cuDriverGetVersion, (int* version))                                             \
  F(cuDeviceGetCount, (int* count))                                                 \
  F(cuDeviceGet, (int* device, int number))                                         \
  F(cuDeviceGetName, (char* name, int length, int device))                          \
  F(cuDeviceGetUuid, (standin::uuid * id, int device))                              \
  F(cuDeviceGetUuid_v2, (standin::uuid * id, int device))                           \
  F(cuDeviceTotalMem_v2, (std::size_t * bytes, int device))                         \
  F(cuDeviceGetAttribute, (int* value, int attribute, int device))                  \
  F(cuDeviceGetPCIBusId, (char* id, int length, int device))                        \
  F(cuDeviceCanAccessPeer, (int* can, int device, int peer))                        \
  F(cuDeviceGetP2PAttribute, (int* value, int attribute, int device, int peer))     \
  F(cuDevicePrimaryCtxRetain, (void** context, int device))                         \
  F(cuDevicePrimaryCtxRelease_v2, (int device))                                     \
  F(cuDevicePrimaryCtxReset_v2, (int device))                                       \
  F(cuDevicePrimaryCtxSetFlags_v2, (int device, unsigned flags))                    \
  F(cuDevicePrimaryCtxGetState, (int device, unsigned* flags, int* active))         \
  F(cuDeviceGetDefaultMemPool, (void** pool, int device))                           \
  F(cuMemPoolSetAttribute, (void* pool, int attribute, void* value))                \
  F(cuMemPoolTrimTo, (void* pool, std::size_t keep))                                \
  F(cuCtxCreate_v2, (void** context, unsigned flags, int device))                   \
  F(cuCtxCreate_v4, (void** context, void* parameters, unsigned flags, int device)) \
  F(cuCtxDestroy_v2, (void* context))                                               \
  F(cuCtxSetCurrent, (void* context))                                               \
  F(cuCtxGetCurrent, (void** context))                                              \
  F(cuCtxPushCurrent_v2, (void* context))                                           \
  F(cuCtxPopCurrent_v2, (void** context))                                           \
  F(cuCtxSynchronize, ())                                                           \
  F(cuCtxGetDevice, (int* device))                                                  \
  F(cuCtxGetFlags, (unsigned* flags))                                               \
  F(cuCtxGetApiVersion, (void* context, unsigned* version))                         \
  F(cuCtxGetStreamPriorityRange, (int* least, int* greatest))                       \
  F(cuCtxEnablePeerAccess, (void* peer, unsigned flags))                            \
  F(cuCtxDisablePeerAccess, (void* peer))

#define HOCKET_STANDIN_MODULE_ENTRIES(F)                                                      \
  F(cuModuleLoadData, (void** module, const void* image))                                     \
  F(cuModuleLoadDataEx,                                                                       \
    (void** module, const void* image, unsigned count, int* options, void** values))          \
  F(cuLinkCreate_v2, (unsigned count, int* options, void** values, void** link))              \
  F(cuLinkAddData_v2, (void* link, int type, void* data, std::size_t bytes, const char* name, \
                       unsigned count, int* options, void** values))                          \
  F(cuLinkComplete, (void* link, void** code, std::size_t* bytes))                            \
  F(cuLinkDestroy, (void* link))                                                              \
  F(cuModuleUnload, (void* module))                                                           \
  F(cuModuleGetFunction, (void** function, void* module, const char* name))                   \
  F(cuModuleGetGlobal_v2,                                                                     \
    (unsigned long long* address, std::size_t* bytes, void* module, const char* name))        \
  F(cuFuncGetAttribute, (int* value, int attribute, void* function))                          \
  F(cuFuncSetAttribute, (void* function, int attribute, int value))                           \
  F(cuFuncSetCacheConfig, (void* function, int config))                                       \
  F(cuOccupancyMaxActiveBlocksPerMultiprocessor,                                              \
    (int* blocks, void* function, int threads, std::size_t shared))                           \
  F(cuLaunchKernel, (void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,       \
                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,   \
                     void* stream, void** parameters, void** extra))

#define HOCKET_STANDIN_MEMORY_ENTRIES(F)                                                        \
  F(cuMemGetInfo_v2, (std::size_t * free, std::size_t * total))                                 \
  F(cuMemAlloc_v2, (unsigned long long* address, std::size_t bytes))                            \
  F(cuMemFree_v2, (unsigned long long address))                                                 \
  F(cuMemAllocAsync, (unsigned long long* address, std::size_t bytes, void* stream))            \
  F(cuMemFreeAsync, (unsigned long long address, void* stream))                                 \
  F(cuMemAllocHost_v2, (void** address, std::size_t bytes))                                     \
  F(cuMemHostAlloc, (void** address, std::size_t bytes, unsigned flags))                        \
  F(cuMemFreeHost, (void* address))                                                             \
  F(cuMemHostRegister_v2, (void* address, std::size_t bytes, unsigned flags))                   \
  F(cuMemHostUnregister, (void* address))                                                       \
  F(cuMemHostGetDevicePointer_v2, (unsigned long long* address, void* host, unsigned flags))    \
  F(cuPointerGetAttribute, (void* value, int attribute, unsigned long long address))            \
  F(cuMemGetAddressRange_v2,                                                                    \
    (unsigned long long* begin, std::size_t* bytes, unsigned long long address))                \
  F(cuMemcpyAsync,                                                                              \
    (unsigned long long to, unsigned long long from, std::size_t bytes, void* stream))          \
  F(cuMemcpyHtoD_v2, (unsigned long long to, const void* from, std::size_t bytes))              \
  F(cuMemcpyDtoH_v2, (void* to, unsigned long long from, std::size_t bytes))                    \
  F(cuMemcpyHtoDAsync_v2,                                                                       \
    (unsigned long long to, const void* from, std::size_t bytes, void* stream))                 \
  F(cuMemcpyDtoHAsync_v2, (void* to, unsigned long long from, std::size_t bytes, void* stream)) \
  F(cuMemcpyDtoDAsync_v2,                                                                       \
    (unsigned long long to, unsigned long long from, std::size_t bytes, void* stream))          \
  F(cuMemcpyPeerAsync, (unsigned long long to, void* to_context, unsigned long long from,       \
                        void* from_context, std::size_t bytes, void* stream))                   \
  F(cuMemcpy2DAsync_v2, (const standin::copy_2d* copy, void* stream))                           \
  F(cuMemcpy3DAsync_v2, (const standin::copy_3d* copy, void* stream))                           \
  F(cuMemcpy3DPeerAsync, (const standin::copy_3d* copy, void* stream))                          \
  F(cuMemsetD8Async,                                                                            \
    (unsigned long long to, unsigned char value, std::size_t count, void* stream))              \
  F(cuMemsetD16Async,                                                                           \
    (unsigned long long to, unsigned short value, std::size_t count, void* stream))             \
  F(cuMemsetD32Async, (unsigned long long to, unsigned value, std::size_t count, void* stream))

#define HOCKET_STANDIN_STREAM_ENTRIES(F)                                                  \
  F(cuStreamCreate, (void** stream, unsigned flags))                                      \
  F(cuStreamCreateWithPriority, (void** stream, unsigned flags, int priority))            \
  F(cuStreamDestroy_v2, (void* stream))                                                   \
  F(cuStreamSynchronize, (void* stream))                                                  \
  F(cuStreamQuery, (void* stream))                                                        \
  F(cuStreamGetPriority, (void* stream, int* priority))                                   \
  F(cuStreamGetFlags, (void* stream, unsigned* flags))                                    \
  F(cuStreamWaitEvent, (void* stream, void* event, unsigned flags))                       \
  F(cuLaunchHostFunc, (void* stream, void (*function)(void*), void* data))                \
  F(cuStreamBeginCapture_v2, (void* stream, int mode))                                    \
  F(cuStreamEndCapture, (void* stream, void** graph))                                     \
  F(cuGraphInstantiateWithFlags, (void** made, void* graph, unsigned long long flags))    \
  F(cuGraphLaunch, (void* graph, void* stream))                                           \
  F(cuGraphDestroy, (void* graph))                                                        \
  F(cuGraphExecDestroy, (void* graph))                                                    \
  F(cuEventCreate, (void** event, unsigned flags))                                        \
  F(cuEventRecord, (void* event, void* stream))                                           \
  F(cuEventQuery, (void* event))                                                          \
  F(cuEventSynchronize, (void* event))                                                    \
  F(cuEventDestroy_v2, (void* event))                                                     \
  F(cuEventElapsedTime, (float* milliseconds, void* from, void* to))                      \
  F(cuEventElapsedTime_v2, (float* milliseconds, void* from, void* to))                   \
  F(cuStreamWriteValue32_v2,                                                              \
    (void* stream, unsigned long long address, std::uint32_t value, unsigned flags))      \
  F(cuStreamWriteValue64_v2,                                                              \
    (void* stream, unsigned long long address, std::uint64_t value, unsigned flags))      \
  F(cuStreamWaitValue32_v2,                                                               \
    (void* stream, unsigned long long address, std::uint32_t value, unsigned flags))      \
  F(cuStreamWaitValue64_v2,                                                               \
    (void* stream, unsigned long long address, std::uint64_t value, unsigned flags))      \
  F(cuGetExportTable, (const void** table, const standin::uuid* id))                      \
  F(cuGetErrorName, (int code, const char** name))                                        \
  F(cuGetErrorString, (int code, const char** text))                                      \
  F(cuGetProcAddress, (const char* name, void** found, int version, std::uint64_t flags)) \
  F(cuGetProcAddress_v2,                                                                  \
    (const char* name, void** found, int version, std::uint64_t flags, int* status))

#define HOCKET_STANDIN_ENTRIES(F)  \
  HOCKET_STANDIN_DEVICE_ENTRIES(F) \
  HOCKET_STANDIN_MODULE_ENTRIES(F) \
  HOCKET_STANDIN_MEMORY_ENTRIES(F) \
  HOCKET_STANDIN_STREAM_ENTRIES(F)
