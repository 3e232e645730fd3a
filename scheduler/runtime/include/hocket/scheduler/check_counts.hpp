// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace hocket {

/// Counts of what checks of results have found so far: see checked_gemm and submit_compared.
/// Several calls may share one object, which they keep alive. Any thread.
struct check_counts {
  std::atomic<std::uint64_t> differed{0};   ///< results that were found to be wrong
  std::atomic<std::uint64_t> corrected{0};  ///< of these, single elements that were put right
  std::atomic<std::uint64_t> repeated{0};   ///< times that a kernel ran again because of that
  std::atomic<std::uint64_t> failed{0};     ///< results that remained wrong: their tasks failed
};
using check_counts_ref = std::shared_ptr<check_counts>;

}  // namespace hocket
