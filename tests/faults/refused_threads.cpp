// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "refused_threads.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <string_view>
#include <utility>

namespace {

struct refusals {
  std::string starter;
  std::size_t first = 0;
  std::size_t last = 0;  ///< before first: none
  std::atomic<std::size_t> started{0};
  std::atomic<bool> has_refused{false};
};

/// Set before the threads that are counted.
refusals& all() {
  static auto& made = *new refusals;
  return made;
}

/// The file that the code at the address comes from.
std::string_view file_of(const void* code) {
  Dl_info of{};
  return ::dladdr(code, &of) != 0 && of.dli_fname != nullptr ? of.dli_fname : "";
}

/// The file whose code starts the thread: itself, or by the C++ library. caller: of pthread_create.
std::string_view file_that_starts(const void* caller) {
  std::array<void*, 16> frames{};
  const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  const auto end = frames.begin() + count;
  for (auto at = std::find(frames.begin(), end, caller); at != end; ++at) {
    const std::string_view file = file_of(*at);
    if (file.find("libstdc++") == std::string_view::npos) return file;
  }
  return {};
}

bool is_refused(const void* caller) {
  refusals& to = all();
  if (to.first == 0 || file_that_starts(caller).find(to.starter) == std::string_view::npos) {
    return false;
  }
  const std::size_t number = to.started.fetch_add(1) + 1;
  if (number < to.first || number > to.last) return false;
  to.has_refused = true;
  return true;
}

}  // namespace

namespace hocket::testing {

void refuse_threads(std::string starter, std::size_t first, std::size_t last) {
  all().starter = std::move(starter);
  all().first = first;
  all().last = last;
}

bool has_refused_threads() noexcept { return all().has_refused; }

}  // namespace hocket::testing

// The loader takes that of the program for all libraries.
extern "C" int pthread_create(pthread_t* made, const pthread_attr_t* how, void* (*run)(void*),
                              void* with) noexcept {
  if (is_refused(__builtin_return_address(0))) return EAGAIN;
  using creator = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto real = reinterpret_cast<creator>(::dlsym(RTLD_NEXT, "pthread_create"));
  return real(made, how, run, with);
}
