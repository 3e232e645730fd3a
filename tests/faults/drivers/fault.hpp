// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

// Two fake drivers: each is a real one that runs on the CPU, PoCL, lavapipe or SwiftShader, with
// one fault put in. They show what Hocket makes of errors, and nothing else.

#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <mutex>
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

/// With the fault "memory": no memory is given out while this is set.
static std::atomic<bool> refuses_memory{false};  // of this driver

/// With the fault "any": the calls of each function since the last arm(), and the one that fails.
struct call_counter {
  std::mutex guard;  // for what follows
  std::map<std::string, long> calls;
  std::string function;  // that fails
  long nth = 0;          // of its calls
  int code = 0;          // that it returns

  /// Counts one call. Returns the code with which it fails, 0 for one that goes to the driver.
  [[nodiscard]] int next(const std::string& called) {
    const std::lock_guard lock(guard);
    const long number = ++calls[called];
    return called == function && number == nth ? code : 0;
  }
};
static call_counter counter;  // of this driver

/// A function of the real driver, null where the driver is not installed.
template <class Function>
Function real(const char* library, const char* name) {
  void* const opened = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return opened == nullptr ? nullptr : reinterpret_cast<Function>(::dlsym(opened, name));
}

}  // namespace hocket::fake

// What a test that has the driver in its own process calls. Each driver is one source file.
extern "C" {

void hocket_fake_refuse_memory(bool on) { hocket::fake::refuses_memory = on; }

/// The nth call from now on fails; without a function none does.
void hocket_fake_arm(const char* function, long nth, int code) {
  auto& counter = hocket::fake::counter;
  const std::lock_guard lock(counter.guard);
  counter.calls.clear();
  counter.function = function == nullptr ? "" : function;
  counter.nth = nth;
  counter.code = code;
}

/// Reports the functions called since, and how often.
void hocket_fake_calls(void (*report)(void* to, const char* function, long calls), void* to) {
  auto& counter = hocket::fake::counter;
  const std::lock_guard lock(counter.guard);
  for (const auto& [function, calls] : counter.calls) report(to, function.c_str(), calls);
}

}  // extern "C"
