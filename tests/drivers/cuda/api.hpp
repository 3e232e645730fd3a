// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "entry_points.hpp"

namespace standin::testing {

/// The functions of the stand-in, found as programs find those of a driver: at run time, by name.
struct api {
  explicit api(const char* library) {
    void* const opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) throw std::runtime_error(dlerror());
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(opened, name));
      if (function == nullptr) throw std::runtime_error(name);
    };
#define HOCKET_STANDIN_FIND(name, parameters) find(name, #name);
    HOCKET_STANDIN_ENTRIES(HOCKET_STANDIN_FIND)
#undef HOCKET_STANDIN_FIND
    find(calls, "hocket_standin_cuda_calls");
    find(live, "hocket_standin_cuda_live");
    find(left, "hocket_standin_cuda_left");
    find(begin, "hocket_standin_cuda_begin");
    find(restart, "hocket_standin_cuda_restart");
    find(release, "hocket_standin_cuda_release");
  }

#define HOCKET_STANDIN_MEMBER(name, parameters) int(*name) parameters = nullptr;
  HOCKET_STANDIN_ENTRIES(HOCKET_STANDIN_MEMBER)
#undef HOCKET_STANDIN_MEMBER
  std::uint64_t (*calls)(const char*) = nullptr;
  std::uint64_t (*live)() = nullptr;
  std::uint64_t (*left)() = nullptr;
  void (*begin)(const char*) = nullptr;
  void (*restart)() = nullptr;
  void (*release)(const char*) = nullptr;
};

/// Throws where a call fails that has to succeed.
inline void check(int result) {
  if (result != success) throw std::runtime_error("code " + std::to_string(result));
}

/// A current context of device 0 with one stream, for the life of the object.
class session {
 public:
  explicit session(const char* library, int device = 0) : cu(library) {
    check(cu.cuInit(0));
    check(cu.cuCtxCreate_v2(&context, 0, device));
    check(cu.cuStreamCreate(&stream, 1));
  }
  ~session() {
    for (const device_pointer at : uploaded) cu.cuMemFree_v2(at);  // some tests have freed theirs
    cu.cuCtxDestroy_v2(context);
  }
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  template <class T>
  device_pointer upload(const std::vector<T>& values) {
    device_pointer at = 0;
    check(cu.cuMemAlloc_v2(&at, values.size() * sizeof(T)));
    check(cu.cuMemcpyHtoDAsync_v2(at, values.data(), values.size() * sizeof(T), stream));
    check(cu.cuStreamSynchronize(stream));
    uploaded.push_back(at);
    return at;
  }
  template <class T>
  std::vector<T> download(device_pointer at, std::size_t count) {
    std::vector<T> values(count);
    check(cu.cuMemcpyDtoHAsync_v2(values.data(), at, count * sizeof(T), stream));
    check(cu.cuStreamSynchronize(stream));
    return values;
  }
  void* load(const std::string& ptx) {
    void* module = nullptr;
    check(cu.cuModuleLoadData(&module, ptx.c_str()));
    return module;
  }
  /// Launches a kernel with one-dimensional grid and block.
  template <class... Arguments>
  int launch(void* module, const char* name, unsigned groups, unsigned threads, unsigned shared,
             Arguments... arguments) {
    void* function = nullptr;
    check(cu.cuModuleGetFunction(&function, module, name));
    std::vector<void*> parameters{static_cast<void*>(&arguments)...};
    return cu.cuLaunchKernel(function, groups, 1, 1, threads, 1, 1, shared, stream,
                             parameters.data(), nullptr);
  }
  /// Launches a kernel and waits for it.
  template <class... Arguments>
  void run(void* module, const char* name, unsigned groups, unsigned threads, unsigned shared,
           Arguments... arguments) {
    check(launch(module, name, groups, threads, shared, arguments...));
    check(cu.cuStreamSynchronize(stream));
  }

  api cu;
  void* context = nullptr;
  void* stream = nullptr;
  std::vector<device_pointer> uploaded;
};

}  // namespace standin::testing
