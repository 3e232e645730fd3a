// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

// Two fake drivers: each is a real one that runs on the CPU, PoCL or lavapipe, with one fault put
// in. They show what Hocket makes of errors, and nothing else.

#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

namespace hocket::fake {

/// How each fault changes a driver's table of functions.
template <class Table>
using fault_list = std::map<std::string_view, void (*)(Table&)>;

/// Puts the fault in that HOCKET_FAKE_FAULT names; every test names one that there is.
template <class Table>
void put_in(std::initializer_list<const fault_list<Table>*> lists, Table& table) {
  const char* const given = std::getenv("HOCKET_FAKE_FAULT");
  const std::string_view name = given == nullptr ? "" : given;
  for (const fault_list<Table>* faults : lists) {
    if (const auto found = faults->find(name); found != faults->end()) return found->second(table);
  }
  std::fprintf(stderr, "the fake driver has no fault \"%s\"\n", name.data());
  std::abort();
}

/// True for the calls that still go well: HOCKET_FAKE_SPARED says how many of a function there are.
inline bool is_spared(std::atomic<long>& calls) {
  static const char* const given = std::getenv("HOCKET_FAKE_SPARED");
  static const long spared = given == nullptr ? 0 : std::strtol(given, nullptr, 10);
  return calls.fetch_add(1) < spared;
}

/// A function of the real driver, null where the driver is not installed.
template <class Function>
Function real(const char* library, const char* name) {
  void* const opened = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return opened == nullptr ? nullptr : reinterpret_cast<Function>(::dlsym(opened, name));
}

}  // namespace hocket::fake
