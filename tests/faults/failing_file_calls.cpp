// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "failing_file_calls.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <utility>

namespace {

using hocket::testing::call_fault;
using hocket::testing::exit_code_of_fault;

/// Negative: no fault is to come.
thread_local long left_to_succeed = -1;
thread_local call_fault fault = call_fault::fails;

bool happens_now() noexcept {
  if (left_to_succeed < 0) return false;
  return left_to_succeed-- == 0;
}

/// The function that this program would have called.
template <class F>
F* real(const char* name) {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

/// Makes the call, unless the fault is that it fails.
template <class Call>
auto attempt(Call&& call) -> decltype(call()) {
  if (!happens_now()) return call();
  if (fault == call_fault::ends_before) ::_exit(exit_code_of_fault);
  if (fault == call_fault::ends_after) {
    (void)call();
    ::_exit(exit_code_of_fault);
  }
  errno = ENOSPC;
  return -1;
}

}  // namespace

namespace hocket::testing {

void fault_after(std::size_t count, call_fault what) noexcept {
  fault = what;
  left_to_succeed = static_cast<long>(count);
}

bool fault_no_more() noexcept { return std::exchange(left_to_succeed, -1) < 0; }

}  // namespace hocket::testing

extern "C" {

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  static auto* const next = real<int(const char*, int, ...)>("open");
  return attempt([&] { return next(path, flags, mode); });
}

ssize_t write(int file, const void* bytes, size_t count) {
  static auto* const next = real<ssize_t(int, const void*, size_t)>("write");
  if (left_to_succeed == 0 && fault == call_fault::is_short && count > 1) {
    fault = call_fault::fails;
    return next(file, bytes, count / 2);
  }
  return attempt([&] { return next(file, bytes, count); });
}

int fsync(int file) {
  static auto* const next = real<int(int)>("fsync");
  return attempt([&] { return next(file); });
}

int rename(const char* from, const char* to) noexcept {
  static auto* const next = real<int(const char*, const char*)>("rename");
  return attempt([&] { return next(from, to); });
}

int unlink(const char* path) noexcept {
  static auto* const next = real<int(const char*)>("unlink");
  return attempt([&] { return next(path); });
}

}  // extern "C"
