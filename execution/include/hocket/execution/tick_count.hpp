// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <chrono>
#include <cstdint>

namespace hocket {

/// A count that grows steadily and is read in a few nanoseconds, where the machine has one. How
/// fast it grows is to be found out, by two readings beside a clock. For statistics alone: nothing
/// is ordered by it.
[[nodiscard]] inline std::uint64_t tick_count() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t count = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

}  // namespace hocket
