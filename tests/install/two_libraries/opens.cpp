// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// usage: opens local|global ONE TWO
// Opens both libraries, uses them, closes them, and all that once more.
#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

#include "uses.hpp"

namespace {

void* open(const char* file, int mode) {
  void* const opened = ::dlopen(file, RTLD_NOW | mode);
  if (opened != nullptr) return opened;
  std::puts(::dlerror());
  std::exit(1);
}

template <class Function>
Function* find(void* library, const char* name) {
  auto* const found = reinterpret_cast<Function*>(::dlsym(library, name));
  if (found != nullptr) return found;
  std::puts(::dlerror());
  std::exit(1);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const int mode = std::string_view(arguments[1]) == "global" ? RTLD_GLOBAL : RTLD_LOCAL;
  bool right = true;
  for (int i = 0; i < 2; ++i) {
    void* const one = open(arguments[2], mode);
    void* const two = open(arguments[3], mode);
    right = uses({find<double(int)>(one, "sum_in_one"), find<void()>(one, "fail_in_one")},
                 {find<double(int)>(two, "sum_in_two"), find<void()>(two, "fail_in_two")}) &&
            right;
    right = ::dlclose(one) == 0 && ::dlclose(two) == 0 && right;
  }
  std::puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
