// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "texts.hpp"

#include <dlfcn.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace standin::testing {

namespace {

std::string read(const char* name) {
  std::ifstream in(std::string(STANDIN_KERNELS) + "/" + name);
  if (!in) throw std::runtime_error(std::string("there is no file ") + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

void* open_nvrtc() {
  for (const char* const name : {STANDIN_NVRTC, "libnvrtc.so.13", "libnvrtc.so.12"}) {
    if (*name == 0) continue;
    if (void* const opened = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return opened;
  }
  return nullptr;
}

template <class Function>
Function* find(void* library, const char* name) {
  auto* const found = reinterpret_cast<Function*>(dlsym(library, name));
  if (found == nullptr) throw std::runtime_error(std::string("NVRTC lacks ") + name);
  return found;
}

}  // namespace

std::string committed_kernels() { return read("kernels.ptx"); }

std::optional<std::string> compiled_kernels() {
  void* const nvrtc = open_nvrtc();
  if (nvrtc == nullptr) return std::nullopt;
  auto* const create = find<int(void**, const char*, const char*, int, const char**, const char**)>(
      nvrtc, "nvrtcCreateProgram");
  auto* const compile = find<int(void*, int, const char**)>(nvrtc, "nvrtcCompileProgram");
  auto* const size = find<int(void*, std::size_t*)>(nvrtc, "nvrtcGetPTXSize");
  auto* const get = find<int(void*, char*)>(nvrtc, "nvrtcGetPTX");
  auto* const destroy = find<int(void**)>(nvrtc, "nvrtcDestroyProgram");
  void* program = nullptr;
  const std::string text = read("kernels.cu");
  const char* option = "--gpu-architecture=compute_80";
  std::size_t bytes = 0;
  if (create(&program, text.c_str(), "kernels.cu", 0, nullptr, nullptr) != 0 ||
      compile(program, 1, &option) != 0 || size(program, &bytes) != 0) {
    throw std::runtime_error("NVRTC does not compile the kernels");
  }
  std::vector<char> ptx(bytes);
  get(program, ptx.data());
  destroy(&program);
  return std::string(ptx.data());
}

}  // namespace standin::testing
