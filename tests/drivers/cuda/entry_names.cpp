// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <cstdio>
#include <map>
#include <string>

#include "calls.hpp"
#include "driver.hpp"
#include "exports.hpp"
#include "names.hpp"

using namespace standin;

namespace {

const std::map<std::string, void*>& functions() {
  static const std::map<std::string, void*> table{
#define HOCKET_STANDIN_ROW(name, parameters) {#name, reinterpret_cast<void*>(&name)},
      HOCKET_STANDIN_ENTRIES(HOCKET_STANDIN_ROW)
#undef HOCKET_STANDIN_ROW
  };
  return table;
}

/// The newest form of a function that a program of this version of the API means by its plain name.
void* find_function(const std::string& name, int version) {
  const auto& table = functions();
  if (name == "cuCtxCreate" && version < 12050) return table.at("cuCtxCreate_v2");
  if (name == "cuGetProcAddress" && version < 12000) return table.at("cuGetProcAddress");
  for (const char* const suffix : {"_v4", "_v2", ""}) {
    if (const auto found = table.find(name + suffix); found != table.end()) return found->second;
  }
  return nullptr;
}

int give_function(const char* name, void** found, int version) {
  require(name != nullptr && found != nullptr, "there is no name, or no place for the function");
  *found = find_function(name, version);
  return *found != nullptr ? success : not_found;
}

struct named_code {
  const char* name;
  const char* text;
};

const std::map<int, named_code>& codes() {
  static const std::map<int, named_code> table{
      {success, {"CUDA_SUCCESS", "no error"}},
      {invalid_value, {"CUDA_ERROR_INVALID_VALUE", "invalid argument"}},
      {out_of_memory, {"CUDA_ERROR_OUT_OF_MEMORY", "out of memory"}},
      {not_initialized, {"CUDA_ERROR_NOT_INITIALIZED", "initialization error"}},
      {device_unavailable, {"CUDA_ERROR_DEVICE_UNAVAILABLE", "device is busy or gone"}},
      {no_device, {"CUDA_ERROR_NO_DEVICE", "no device is there"}},
      {invalid_device, {"CUDA_ERROR_INVALID_DEVICE", "invalid device number"}},
      {invalid_image, {"CUDA_ERROR_INVALID_IMAGE", "the kernel image is damaged"}},
      {invalid_context, {"CUDA_ERROR_INVALID_CONTEXT", "invalid device context"}},
      {no_binary_for_gpu, {"CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image for the device"}},
      {ecc_uncorrectable, {"CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable memory error"}},
      {invalid_ptx, {"CUDA_ERROR_INVALID_PTX", "the PTX cannot be compiled"}},
      {invalid_handle, {"CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"}},
      {illegal_state, {"CUDA_ERROR_ILLEGAL_STATE", "illegal state"}},
      {not_found, {"CUDA_ERROR_NOT_FOUND", "named symbol not found"}},
      {not_ready, {"CUDA_ERROR_NOT_READY", "device not ready"}},
      {illegal_address, {"CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access"}},
      {launch_out_of_resources, {"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources"}},
      {launch_timeout, {"CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out"}},
      {peer_access_already_enabled,
       {"CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is enabled already"}},
      {peer_access_not_enabled,
       {"CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access is not enabled"}},
      {context_is_destroyed, {"CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"}},
      {assertion, {"CUDA_ERROR_ASSERT", "an assertion of the device failed"}},
      {host_memory_already_registered,
       {"CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "memory is registered already"}},
      {host_memory_not_registered,
       {"CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "memory is not registered"}},
      {misaligned_address, {"CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"}},
      {launch_failed, {"CUDA_ERROR_LAUNCH_FAILED", "the launch failed"}},
      {not_permitted, {"CUDA_ERROR_NOT_PERMITTED", "operation not permitted"}},
      {not_supported, {"CUDA_ERROR_NOT_SUPPORTED", "operation not supported"}},
      {unknown, {"CUDA_ERROR_UNKNOWN", "unknown error"}},
  };
  return table;
}

const named_code& named(int reason) {
  const auto found = codes().find(reason);
  if (found == codes().end()) throw failure(invalid_value, "the code is not known");
  return found->second;
}

/// Says at the end of the process what the program has not given back.
struct leak_report {
  ~leak_report() {
    std::uint64_t live = hocket_standin_cuda_live();
    for (const auto& d : driver::get().devices) {
      if (!names.keeps_contexts || !d->primary) continue;
      if (d->lost != success) return;  // nothing of it can be given back
      --live;
    }
    if (live == 0) return;
    std::fprintf(stderr, "%s: %llu objects are left at the end of the process\n", names.title,
                 static_cast<unsigned long long>(live));
  }
};
const leak_report at_the_end;

}  // namespace

int cuGetErrorName(int code, const char** name) {
  return entry("cuGetErrorName", [&] {
    require(name != nullptr, "there is no place for the name");
    *name = nullptr;
    *name = named(code).name;
  });
}

int cuGetErrorString(int code, const char** text) {
  return entry("cuGetErrorString", [&] {
    require(text != nullptr, "there is no place for the text");
    *text = nullptr;
    *text = named(code).text;
  });
}

/// NVRTC looks here for functions between the vendor's libraries; the stand-in has none of them.
int cuGetExportTable(const void** table, const standin::uuid* /*id*/) {
  return entry("cuGetExportTable", [&] {
    require(table != nullptr, "there is no place for the table");
    *table = nullptr;
    return not_found;
  });
}

int cuGetProcAddress(const char* name, void** found, int version, std::uint64_t /*flags*/) {
  return entry("cuGetProcAddress", [&] { return give_function(name, found, version); });
}

int cuGetProcAddress_v2(const char* name, void** found, int version, std::uint64_t /*flags*/,
                        int* status) {
  return entry("cuGetProcAddress_v2", [&] {
    const int result = give_function(name, found, version);
    if (status != nullptr) *status = result == success ? 0 : 1;  // found, or no such name
    return result;
  });
}

std::uint64_t hocket_standin_cuda_calls(const char* name) { return calls_of(name); }

std::uint64_t hocket_standin_cuda_left() { return driver::get().left_behind; }

void hocket_standin_cuda_begin(const char* plan) { begin_plan(plan); }

void hocket_standin_cuda_restart() {
  for (const auto& d : driver::get().devices) {
    const std::lock_guard lock(d->mutex);
    d->end_primary();
    d->lost = success;
  }
}

void hocket_standin_cuda_release(const char* name) { release(name); }

std::uint64_t hocket_standin_cuda_live() {
  const driver& d = driver::get();
  std::uint64_t live = d.contexts.count() + d.streams.count() + d.events.count() +
                       d.modules.count() + d.graphs.count() + d.runnable_graphs.count() +
                       d.blas_handles.count() + d.links.count() +
                       host_allocations().locked.count() + host_allocations().registered.count();
  for (const auto& one : d.devices) live += one->memory.allocations();
  return live;
}
