// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/driver_library.hpp>

#include <dlfcn.h>

#include <utility>

namespace hocket {

result<driver_library> driver_library::open(names of) {
  driver_library made(std::move(of));
  made.opened_ = ::dlopen(made.names_.file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (made.opened_ != nullptr) return made;
  const char* const why = ::dlerror();
  return made.unusable("cannot be opened (" + std::string(why != nullptr ? why : "no reason") +
                       ")");
}

failure driver_library::unusable(const std::string& why) const {
  return {failure_code::no_device, "The loader of " + names_.api + ", " + names_.file + ", " + why +
                                       "; Debian has it in the package " + names_.packages + "."};
}

void* driver_library::address_of(const char* name) const { return ::dlsym(opened_, name); }

}  // namespace hocket
