// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Compiled twice, under other names. C callers, Python's ctypes among them, see two functions.
#include <array>
#include <cstddef>

#include <hocket/hocket.hpp>

using namespace hocket;

namespace {

// More than the dynamic loader keeps free of static thread-local storage: a library that asked for
// that storage could not be opened.
thread_local std::array<int, 1024> own_numbers;

}  // namespace

/// Always 4 * n. The runtime stays until the library is closed or the program ends.
extern "C" [[gnu::visibility("default")]] double SUM(int n) {
  static runtime rt;
  buffer<float> x{rt, static_cast<std::size_t>(n), 1.0f}, y{rt, static_cast<std::size_t>(n), 2.0f};
  rt.submit(ops::axpy, 2.0f, reads(x), updates(y));
  own_numbers[0] = n;
  // Caught in the library that it was thrown in, on another thread perhaps.
  auto failed = rt.submit(
      [](buffer_view<float>) { throw error(failure(failure_code::task_failed, "It is to fail.")); },
      updates(x));
  try {
    failed.get();
    return -1;
  } catch (const error&) {
    return rt.submit(ops::sum, reads(y)).get() + own_numbers[0] - n;
  }
}

/// Throws to the caller, which may be another library.
extern "C" [[gnu::visibility("default")]] void FAIL() {
  runtime rt;
  rt.async([] {
      throw error(failure(failure_code::task_failed, "A task of a library failed."));
    }).get();
}
