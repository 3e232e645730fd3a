// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "loader.hpp"

#include <dlfcn.h>

#include <hocket/devices/driver_failure.hpp>

namespace hocket::opencl {

namespace {

constexpr const char* file = "libOpenCL.so.1";

/// The first name that the library does not have stays in `missing`.
template <class Function>
void find(void* library, const char* name, Function& found, std::string& missing) {
  found = reinterpret_cast<Function>(::dlsym(library, name));
  if (found == nullptr && missing.empty()) missing = name;
}

failure unusable(const std::string& why) {
  return no_loader("OpenCL", file, why,
                   "ocl-icd-libopencl1, and a driver for the CPU in pocl-opencl-icd");
}

}  // namespace

result<std::shared_ptr<const api>> load() {
  // It stays open until the program ends: drivers have threads that outlive every object of theirs.
  void* const library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* const why = ::dlerror();
    return unusable("cannot be opened (" + std::string(why != nullptr ? why : "no reason") + ")");
  }
  auto made = std::make_shared<api>();
  std::string missing;
#define HOCKET_OPENCL_FIND(name) find(library, #name, made->name, missing)
  HOCKET_OPENCL_FUNCTIONS(HOCKET_OPENCL_FIND);
#undef HOCKET_OPENCL_FIND
  if (!missing.empty()) return unusable("lacks " + missing);
  return std::shared_ptr<const api>(std::move(made));
}

}  // namespace hocket::opencl
