// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>

#include <hocket/core/sanitizers.hpp>

namespace hocket::testing {

/// So many seeds of what runs on one thread, and fewer under a sanitizer: there each takes ten
/// times as long, and a race detector learns nothing from one thread.
constexpr std::uint64_t seeds_on_one_thread(std::uint64_t all) {
#if defined(HOCKET_THREAD_SANITIZER)
  return all / 40;
#elif defined(HOCKET_ADDRESS_SANITIZER)
  return all / 4;
#else
  return all;
#endif
}

}  // namespace hocket::testing
