// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace hocket::bench {

/// What a sweep needs to know.
struct sweep_limits {
  std::size_t tasks;                 ///< of the graph
  std::size_t threads;               ///< that run it
  double nanoseconds_per_iteration;  ///< of each thread, at the peak rate
  double longest_kernel;             ///< nanoseconds; no sweep goes beyond
};

/// METG(50 %): the least length of a task at which the threads reach half of the peak rate, in
/// nanoseconds. The length is that of the run, times threads, for each task: what the runtime takes
/// is in it. wall_time runs the graph with so many iterations a task and returns nanoseconds.
///
/// Goes from short tasks to long ones by factors of two, and draws a line between the last that
/// misses the half and the first that reaches it. If none does, the length of the longest.
[[nodiscard]] double metg50(const sweep_limits& limits,
                            const std::function<double(std::uint64_t iterations)>& wall_time);

}  // namespace hocket::bench
