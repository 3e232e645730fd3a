// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace hocket::bench {

/// What the numbers of a run depend on.
struct machine_facts {
  std::string cpu;
  std::size_t cores = 1;
  std::uint64_t memory_bytes = 0;
  std::string os;
  std::string compiler;
  double load = 0;  ///< the load average of the last minute, before the run
};

[[nodiscard]] machine_facts this_machine();

/// How many cores the calling thread may run on.
[[nodiscard]] std::size_t allowed_cores();

/// Keeps the calling thread, and those that it starts, on the first count of its cores.
void keep_on_cores(std::size_t count);

/// The commit that was built, with "-dirty" after it if there were changes; or "unknown".
[[nodiscard]] std::string built_commit();

}  // namespace hocket::bench
