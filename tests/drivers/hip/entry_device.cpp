// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The functions of HIP that name devices. Each device has one context, which is never released.

#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>

#include "abi.hpp"
#include "driver.hpp"
#include "forward.hpp"

namespace standin {

namespace {

int& chosen() {
  thread_local int device = 0;
  return device;
}

/// By the numbers of hipDeviceAttribute_t, those of CUdevice_attribute.
const std::map<int, int>& attributes() {
  static const std::map<int, int> table{{5, 13},  {6, 20},  {23, 75}, {26, 2},  {27, 3},
                                        {28, 4},  {56, 1},  {59, 37}, {60, 36}, {61, 76},
                                        {63, 16}, {67, 33}, {68, 34}, {69, 50}, {87, 10}};
  return table;
}

constexpr int attribute_of_bus = 67, first_bus = 0x40;

}  // namespace

namespace {

int find_context(void*& made, int device) {
  const auto& all = driver::get().devices;
  if (device >= 0 && static_cast<std::size_t>(device) < all.size()) {
    const std::lock_guard lock(all[static_cast<std::size_t>(device)]->mutex);
    made = all[static_cast<std::size_t>(device)]->primary.get();
    if (made != nullptr) return success;
  }
  return cuDevicePrimaryCtxRetain(&made, device);
}

}  // namespace

void* context_of_device(int device) {
  void* made = nullptr;
  (void)find_context(made, device);
  return made;
}

int choose_device(int device) {
  int known = 0;
  if (const int why = cuDeviceGet(&known, device); why != success) return why;
  void* context = nullptr;
  if (const int why = find_context(context, device); why != success) return why;
  chosen() = device;
  return cuCtxSetCurrent(context);
}

int chosen_device() { return chosen(); }

}  // namespace standin

using namespace standin;

HOCKET_STANDIN_HIP int hipInit(unsigned flags) { return cuInit(flags); }

HOCKET_STANDIN_HIP int hipRuntimeGetVersion(int* version) {
  constexpr int rocm_6_0 = 60'032'830;
  if (version == nullptr) return invalid_value;
  *version = rocm_6_0;
  return success;
}

HOCKET_STANDIN_HIP int hipGetDeviceCount(int* count) {
  if (const int why = cuInit(0); why != success) return why;
  return cuDeviceGetCount(count);
}

HOCKET_STANDIN_HIP int hipDeviceGet(int* device, int number) { return cuDeviceGet(device, number); }

HOCKET_STANDIN_HIP int hipDeviceGetName(char* name, int length, int device) {
  return cuDeviceGetName(name, length, device);
}

HOCKET_STANDIN_HIP int hipDeviceTotalMem(std::size_t* bytes, int device) {
  return cuDeviceTotalMem_v2(bytes, device);
}

HOCKET_STANDIN_HIP int hipDeviceGetAttribute(int* value, int attribute, int device) {
  const auto known = attributes().find(attribute);
  if (known == attributes().end()) return invalid_value;
  const int answer = cuDeviceGetAttribute(value, known->second, device);
  if (answer == success && attribute == attribute_of_bus) *value += first_bus;
  return answer;
}

/// The structure of ROCm 6, of which the name and the architecture are filled in.
HOCKET_STANDIN_HIP int hipGetDevicePropertiesR0600(void* properties, int device) {
  constexpr std::size_t bytes = 1472, name_bytes = 256, architecture_at = 1160;
  if (properties == nullptr) return invalid_value;
  std::memset(properties, 0, bytes);
  auto* const all = static_cast<char*>(properties);
  if (const int why = cuDeviceGetName(all, name_bytes, device); why != success) return why;
  std::snprintf(all + architecture_at, name_bytes, "gfx90a:sramecc+:xnack-");
  return success;
}

HOCKET_STANDIN_HIP int hipGetDevice(int* device) {
  if (device == nullptr) return invalid_value;
  *device = chosen_device();
  return success;
}

HOCKET_STANDIN_HIP int hipSetDevice(int device) { return choose_device(device); }

HOCKET_STANDIN_HIP int hipDeviceCanAccessPeer(int* can, int device, int peer) {
  return cuDeviceCanAccessPeer(can, device, peer);
}

HOCKET_STANDIN_HIP int hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  return with_device(cuCtxEnablePeerAccess, context_of_device(peer), flags);
}

HOCKET_STANDIN_HIP int hipDeviceSynchronize() { return with_device(cuCtxSynchronize); }
