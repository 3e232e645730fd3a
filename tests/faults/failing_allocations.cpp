// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "failing_allocations.hpp"

#include <malloc.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

/// How many allocations of this thread succeed before one fails; negative: none fails.
thread_local int left_to_succeed = -1;
thread_local bool all_fail = false;

bool fails_now() noexcept { return all_fail || (left_to_succeed >= 0 && left_to_succeed-- == 0); }

void* allocate(std::size_t bytes, std::size_t alignment) {
  void* const place = fails_now() ? nullptr : ::memalign(alignment, bytes == 0 ? 1 : bytes);
  if (place == nullptr) throw std::bad_alloc();
  return place;
}

}  // namespace

namespace hocket::testing {

void fail_after(int count) noexcept { left_to_succeed = count; }

void fail_always() noexcept { all_fail = true; }

bool fail_no_more() noexcept {
  all_fail = false;
  const bool did_fail = left_to_succeed < 0;
  left_to_succeed = -1;
  return did_fail;
}

}  // namespace hocket::testing

// The library's allocations all go through these.
void* operator new(std::size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* place) noexcept { std::free(place); }
void operator delete(void* place, std::size_t) noexcept { std::free(place); }
void operator delete(void* place, std::align_val_t) noexcept { std::free(place); }
void operator delete(void* place, std::size_t, std::align_val_t) noexcept { std::free(place); }
extern "C" int posix_memalign(void** place, std::size_t alignment, std::size_t bytes) noexcept {
  *place = fails_now() ? nullptr : ::memalign(alignment, bytes);
  return *place == nullptr ? ENOMEM : 0;
}
