// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>

#include "calls.hpp"
#include "driver.hpp"
#include "exports.hpp"

using namespace standin;

namespace {

device& initialized_device(int number) {
  if (!driver::get().initialized) throw failure(not_initialized, "cuInit has not been called");
  return driver::get().device_of(number);
}

/// Attributes that differ between devices.
int attribute_of(const device& d, int attribute) {
  switch (attribute) {
    case 33:
      return static_cast<int>(d.physical) + 1;  // bus
    case 75:
      return static_cast<int>(d.capability / 10);  // capability, major
    case 76:
      return static_cast<int>(d.capability % 10);  // capability, minor
    default:
      break;
  }
  // By the numbers of CUdevice_attribute.
  static const std::map<int, int> same{
      {1, 1024},        {2, 1024},     {3, 1024},
      {4, 64},                                      // threads of a block
      {5, 0x7FFFFFFF},  {6, 65535},    {7, 65535},  // blocks of a grid
      {8, 49152},       {9, 65536},    {10, 32},
      {11, 0x7FFFFFFF},  // shared, constant, warp, pitch
      {12, 65536},      {13, 1000000}, {14, 512},
      {15, 1},  // registers, clock, overlap
      {16, 1},          {19, 1},       {31, 1},
      {36, 1000000},  // multiprocessors, mapping
      {37, 128},        {38, 1048576}, {39, 1024},
      {40, 2},  // memory, cache, copy engines
      {41, 1},          {78, 1},       {81, 102400},
      {82, 65536},  // unified addresses, priorities
      {91, 1},          {97, 101376},  {99, 1},
      {106, 1},                    // registered memory, opt-in
      {115, 1},         {122, 1},  // pools, values of 64 bits
  };
  const auto found = same.find(attribute);
  return found == same.end() ? 0 : found->second;
}

int identify(standin::uuid* id, int number) {
  require(id != nullptr, "there is no place for the identity");
  std::memcpy(id->bytes, "hocket stand-in", 16);
  id->bytes[15] = static_cast<char>('0' + initialized_device(number).physical);
  return success;
}

std::shared_ptr<context> context_of(void* handle) {
  return driver::get().contexts.get(handle, "context", invalid_context);
}

void create_context(void** result, unsigned flags, int number) {
  require(result != nullptr, "there is no place for the context");
  device& d = initialized_device(number);
  if (d.lost != success) throw failure(static_cast<code>(d.lost.load()), "the device is lost");
  auto made = std::make_shared<context>(d, false, flags);
  *result = driver::get().contexts.add(made);
  context_stack().push_back(made);
}

}  // namespace

int cuInit(unsigned flags) {
  return entry("cuInit", [&] {
    require(flags == 0, "the flags of cuInit are not zero");
    driver::get().initialize();
  });
}

int cuDriverGetVersion(int* version) {
  return entry("cuDriverGetVersion", [&] {
    require(version != nullptr, "there is no place for the version");
    *version = read_settings().version;
  });
}

int cuDeviceGetCount(int* count) {
  return entry("cuDeviceGetCount", [&] {
    require(count != nullptr, "there is no place for the count");
    if (!driver::get().initialized) throw failure(not_initialized, "cuInit has not been called");
    *count = static_cast<int>(driver::get().devices.size());
  });
}

int cuDeviceGet(int* device, int number) {
  return entry("cuDeviceGet", [&] {
    require(device != nullptr, "there is no place for the device");
    *device = initialized_device(number).number;
  });
}

int cuDeviceGetName(char* name, int length, int device) {
  return entry("cuDeviceGetName", [&] {
    require(name != nullptr && length > 0, "there is no place for the name");
    std::snprintf(name, static_cast<std::size_t>(length), "Hocket stand-in %u",
                  initialized_device(device).physical);
  });
}

int cuDeviceGetUuid(standin::uuid* id, int device) {
  return entry("cuDeviceGetUuid", [&] { return identify(id, device); });
}
int cuDeviceGetUuid_v2(standin::uuid* id, int device) {
  return entry("cuDeviceGetUuid_v2", [&] { return identify(id, device); });
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  return entry("cuDeviceTotalMem_v2", [&] {
    require(bytes != nullptr, "there is no place for the bytes");
    *bytes = initialized_device(device).memory.bytes();
  });
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  return entry("cuDeviceGetAttribute", [&] {
    require(value != nullptr && attribute > 0, "the attribute is not known");
    *value = attribute_of(initialized_device(device), attribute);
  });
}

int cuDeviceGetPCIBusId(char* id, int length, int device) {
  return entry("cuDeviceGetPCIBusId", [&] {
    require(id != nullptr && length >= 13, "there is no place for the bus");
    std::snprintf(id, static_cast<std::size_t>(length), "0000:%02x:00.0",
                  (initialized_device(device).physical + 1) & 0xFFU);
  });
}

int cuDeviceCanAccessPeer(int* can, int device, int peer) {
  return entry("cuDeviceCanAccessPeer", [&] {
    require(can != nullptr, "there is no place for the answer");
    *can = initialized_device(device).number != initialized_device(peer).number ? 1 : 0;
  });
}

int cuDeviceGetP2PAttribute(int* value, int attribute, int device, int peer) {
  return entry("cuDeviceGetP2PAttribute", [&] {
    require(value != nullptr && attribute > 0, "the attribute is not known");
    require(initialized_device(device).number != initialized_device(peer).number,
            "a device is no peer of itself");
    *value = 1;
  });
}

int cuDevicePrimaryCtxRetain(void** result, int number) {
  return entry("cuDevicePrimaryCtxRetain", [&] {
    require(result != nullptr, "there is no place for the context");
    device& d = initialized_device(number);
    if (d.lost != success) throw failure(static_cast<code>(d.lost.load()), "the device is lost");
    const std::lock_guard lock(d.mutex);
    if (!d.primary) {
      d.primary = std::make_shared<context>(d, true, 0U);
      driver::get().contexts.add(d.primary);
    }
    ++d.retained;
    *result = d.primary.get();
  });
}

int cuDevicePrimaryCtxRelease_v2(int number) {
  return entry("cuDevicePrimaryCtxRelease_v2", [&] {
    device& d = initialized_device(number);
    const std::lock_guard lock(d.mutex);
    if (d.retained == 0) throw failure(invalid_context, "the primary context is not retained");
    if (--d.retained == 0) d.end_primary();
  });
}

int cuDevicePrimaryCtxReset_v2(int number) {
  return entry("cuDevicePrimaryCtxReset_v2", [&] {
    device& d = initialized_device(number);
    const std::lock_guard lock(d.mutex);
    d.end_primary();
  });
}

int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
  return entry("cuDevicePrimaryCtxSetFlags_v2", [&] {
    initialized_device(device);
    require(flags < 0x200, "the flags are not known");
  });
}

int cuDevicePrimaryCtxGetState(int number, unsigned* flags, int* active) {
  return entry("cuDevicePrimaryCtxGetState", [&] {
    require(flags != nullptr && active != nullptr, "there is no place for the state");
    device& d = initialized_device(number);
    const std::lock_guard lock(d.mutex);
    *flags = 0;
    *active = d.primary ? 1 : 0;
  });
}

int cuDeviceGetDefaultMemPool(void** pool, int device) {
  return entry("cuDeviceGetDefaultMemPool", [&] {
    require(pool != nullptr, "there is no place for the pool");
    *pool = &initialized_device(device).memory;
  });
}

int cuMemPoolSetAttribute(void* pool, int attribute, void* value) {
  return entry("cuMemPoolSetAttribute", [&] {
    require(pool != nullptr && attribute > 0 && value != nullptr, "the attribute is not known");
  });
}

int cuMemPoolTrimTo(void* pool, std::size_t /*keep*/) {
  return entry("cuMemPoolTrimTo", [&] { require(pool != nullptr, "there is no pool"); });
}

int cuCtxCreate_v2(void** result, unsigned flags, int device) {
  return entry("cuCtxCreate_v2", [&] { create_context(result, flags, device); });
}
int cuCtxCreate_v4(void** result, void* /*parameters*/, unsigned flags, int device) {
  return entry("cuCtxCreate_v4", [&] { create_context(result, flags, device); });
}

int cuCtxDestroy_v2(void* handle) {
  return entry("cuCtxDestroy_v2", [&] {
    const std::shared_ptr<context> c = context_of(handle);
    if (c->primary) throw failure(invalid_context, "a primary context is released, not destroyed");
    c->destroy();
    driver::get().contexts.remove(handle, "context", invalid_context);
    auto& stack = context_stack();
    if (!stack.empty() && stack.back() == c) stack.pop_back();
  });
}

int cuCtxSetCurrent(void* handle) {
  return entry("cuCtxSetCurrent", [&] {
    if (!driver::get().initialized) throw failure(not_initialized, "cuInit has not been called");
    auto& stack = context_stack();
    std::shared_ptr<context> next = handle == nullptr ? nullptr : context_of(handle);
    if (!stack.empty()) stack.pop_back();
    if (next) stack.push_back(std::move(next));
  });
}

int cuCtxGetCurrent(void** result) {
  return entry("cuCtxGetCurrent", [&] {
    require(result != nullptr, "there is no place for the context");
    const auto& stack = context_stack();
    *result = stack.empty() ? nullptr : stack.back().get();
  });
}

int cuCtxPushCurrent_v2(void* handle) {
  return entry("cuCtxPushCurrent_v2", [&] { context_stack().push_back(context_of(handle)); });
}

int cuCtxPopCurrent_v2(void** result) {
  return entry("cuCtxPopCurrent_v2", [&] {
    auto& stack = context_stack();
    if (stack.empty()) throw failure(invalid_context, "no context is current");
    if (result != nullptr) *result = stack.back().get();
    stack.pop_back();
  });
}

int cuCtxSynchronize() {
  return entry("cuCtxSynchronize", [&] {
    current_context()->synchronize();
    current_context();  // throws what has failed meanwhile
  });
}

int cuCtxGetDevice(int* device) {
  return entry("cuCtxGetDevice", [&] {
    require(device != nullptr, "there is no place for the device");
    *device = current_context()->on.number;
  });
}

int cuCtxGetFlags(unsigned* flags) {
  return entry("cuCtxGetFlags", [&] {
    require(flags != nullptr, "there is no place for the flags");
    *flags = current_context()->flags;
  });
}

int cuCtxGetApiVersion(void* handle, unsigned* version) {
  return entry("cuCtxGetApiVersion", [&] {
    require(version != nullptr, "there is no place for the version");
    if (handle != nullptr) context_of(handle);
    *version = 3020;
  });
}

int cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return entry("cuCtxGetStreamPriorityRange", [&] {
    current_context();
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
  });
}

int cuCtxEnablePeerAccess(void* handle, unsigned flags) {
  return entry("cuCtxEnablePeerAccess", [&] {
    require(flags == 0, "the flags are not zero");
    const std::shared_ptr<context> peer = context_of(handle), c = current_context();
    if (&peer->on == &c->on) throw failure(invalid_device, "a device is no peer of itself");
    const std::lock_guard lock(c->mutex);
    if (!c->peers.insert(&peer->on).second) {
      throw failure(peer_access_already_enabled, "the peer is enabled already");
    }
  });
}

int cuCtxDisablePeerAccess(void* handle) {
  return entry("cuCtxDisablePeerAccess", [&] {
    const std::shared_ptr<context> peer = context_of(handle), c = current_context();
    const std::lock_guard lock(c->mutex);
    if (c->peers.erase(&peer->on) == 0) {
      throw failure(peer_access_not_enabled, "the peer is not enabled");
    }
  });
}
