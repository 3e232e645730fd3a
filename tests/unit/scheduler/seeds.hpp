// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>

namespace hocket::testing {

/// So many seeds of what runs on one thread, and fewer under a sanitizer: there each takes ten
/// times as long, and a race detector learns nothing from one thread.
constexpr std::uint64_t seeds_on_one_thread(std::uint64_t all) {
#if defined(__SANITIZE_THREAD__)
  return all / 40;
#elif defined(__SANITIZE_ADDRESS__)
  return all / 4;
#else
  return all;
#endif
}

}  // namespace hocket::testing
