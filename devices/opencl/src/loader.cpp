// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "loader.hpp"

#include <dlfcn.h>

namespace hocket::opencl {

namespace {

constexpr const char* file = "libOpenCL.so.1";

/// The first name that the library does not have stays in `missing`.
template <class Function>
void find(void* library, const char* name, Function& found, std::string& missing) {
  found = reinterpret_cast<Function>(::dlsym(library, name));
  if (found == nullptr && missing.empty()) missing = name;
}

failure no_loader(const std::string& why) {
  return {failure_code::no_device, std::string("The loader of OpenCL, ") + file + ", " + why +
                                       "; Debian has it in the package ocl-icd-libopencl1, and a "
                                       "driver for the CPU in pocl-opencl-icd."};
}

}  // namespace

result<std::shared_ptr<const api>> load() {
  // It stays open until the program ends: drivers have threads that outlive every object of theirs.
  void* const library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* const why = ::dlerror();
    return no_loader("cannot be opened (" + std::string(why != nullptr ? why : "no reason") + ")");
  }
  auto made = std::make_shared<api>();
  std::string missing;
#define HOCKET_OPENCL_FIND(name) find(library, #name, made->name, missing)
  HOCKET_OPENCL_FUNCTIONS(HOCKET_OPENCL_FIND);
#undef HOCKET_OPENCL_FIND
  if (!missing.empty()) return no_loader("lacks " + missing);
  return std::shared_ptr<const api>(std::move(made));
}

}  // namespace hocket::opencl
