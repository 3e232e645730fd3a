// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "driver_in_process.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>

namespace hocket::testing {

namespace {

template <class Function>
void find(void* in, const char* name, Function*& to) {
  to = reinterpret_cast<Function*>(::dlsym(in, name));
  if (to == nullptr) throw std::runtime_error(::dlerror());
}

}  // namespace

drivers_in_process::drivers_in_process(const std::string& fault) {
  around_.add_opencl(FAKE_OPENCL);
  around_.add_vulkan(FAKE_VULKAN);
  const std::string folder = around_.folder().string(), manifest = folder + "/vulkan/driver.json";
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"OCL_ICD_VENDORS", folder + "/opencl"},
                                          {"VK_DRIVER_FILES", manifest},
                                          {"VK_ICD_FILENAMES", manifest},
                                          {"HOCKET_FAKE_FAULT", fault}}) {
    ::setenv(name.c_str(), value.c_str(), 1);
  }
}

driver_in_process::driver_in_process(const char* file) {
  void* const opened = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) throw std::runtime_error(::dlerror());
  find(opened, "hocket_fake_refuse_memory", refuse_memory_);
  find(opened, "hocket_fake_arm", arm_);
  find(opened, "hocket_fake_calls", calls_);
  set_pace_ = reinterpret_cast<void (*)(int)>(::dlsym(opened, "hocket_fake_set_pace"));
}

std::map<std::string, long> driver_in_process::calls() const {
  std::map<std::string, long> all;
  calls_([](void* to, const char* function,
            long times) { (*static_cast<std::map<std::string, long>*>(to))[function] = times; },
         &all);
  return all;
}

}  // namespace hocket::testing
