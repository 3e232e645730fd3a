// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/before_drivers_end.hpp>

#include <unistd.h>

#include <memory>

// Of the C++ ABI: destructors of static objects are registered by it as well, in one list.
extern "C" int __cxa_atexit(void (*function)(void*), void* argument, void* library);
extern "C" void* __dso_handle __attribute__((visibility("hidden")));

namespace hocket {

void before_drivers_end(std::function<void()> function) {
  struct entry {
    std::function<void()> function;
    pid_t process;
  };
  auto kept = std::make_unique<entry>(entry{std::move(function), ::getpid()});
  const auto call = [](void* given) {
    const std::unique_ptr<entry> owned(static_cast<entry*>(given));
    // A forked child has none of the threads that the function may wait for.
    if (owned->process == ::getpid()) owned->function();
  };
  if (__cxa_atexit(call, kept.get(), &__dso_handle) == 0) (void)kept.release();
}

}  // namespace hocket
