// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>

namespace hocket {

/// How many copies were compared with their sources.
struct copy_check_counts {
  std::uint64_t checked = 0;    ///< copies that have ended, each counted once
  std::uint64_t corrupted = 0;  ///< comparisons that found a difference
  std::uint64_t failed = 0;     ///< copies that differed each time and were given up
};

}  // namespace hocket
