// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "standin_driver.hpp"

#include <dlfcn.h>

#include "../drivers/cuda/entry_points.hpp"

namespace hocket::testing {

namespace {

constexpr const char* all_functions[]{
#define HOCKET_STANDIN_NAME(name, parameters) #name,
    HOCKET_STANDIN_ENTRIES(HOCKET_STANDIN_NAME)
#undef HOCKET_STANDIN_NAME
        "cublasCreate_v2",
    "cublasDestroy_v2",
    "cublasSetStream_v2",
    "cublasSetMathMode",
    "cublasSgemm_v2",
    "cublasDgemm_v2",
    "cublasGemmEx"};

}  // namespace

standin_driver::standin_driver(const char* library) {
  void* const opened = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(opened, name));
  };
  find(calls_, "hocket_standin_cuda_calls");
  find(live_, "hocket_standin_cuda_live");
  find(left_, "hocket_standin_cuda_left");
  find(begin_, "hocket_standin_cuda_begin");
  find(restart_, "hocket_standin_cuda_restart");
  find(release_, "hocket_standin_cuda_release");
}

std::map<std::string, std::uint64_t> standin_driver::calls() const {
  std::map<std::string, std::uint64_t> made;
  for (const char* const each : all_functions) {
    if (const std::uint64_t count = calls(each); count > 0) made[each] = count;
  }
  return made;
}

}  // namespace hocket::testing
