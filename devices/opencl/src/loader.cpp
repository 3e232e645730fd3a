// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "loader.hpp"

#include <dlfcn.h>

namespace hocket::opencl {

namespace {

template <class Function>
bool find(void* library, const char* name, Function& found) {
  found = reinterpret_cast<Function>(::dlsym(library, name));
  return found != nullptr;
}

}  // namespace

std::shared_ptr<const api> load() {
  // It stays open until the program ends: drivers have threads that outlive every object of theirs.
  void* const library = ::dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) return nullptr;
  auto made = std::make_shared<api>();
  bool all = true;
#define HOCKET_OPENCL_FIND(name) all = find(library, #name, made->name) && all
  HOCKET_OPENCL_FUNCTIONS(HOCKET_OPENCL_FIND);
#undef HOCKET_OPENCL_FIND
  return all ? made : nullptr;
}

}  // namespace hocket::opencl
