// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace hocket::bench {

/// How the tasks of a recursion are divided: one call spawns a task and calls itself, and the two
/// have so many tasks below them.
struct parts_of_recursion {
  std::size_t spawned = 0;
  std::size_t called = 0;
};

/// For a call that spawns tasks in all, itself and below; there is at least one. The parts are as
/// unequal as those of the Fibonacci recursion.
[[nodiscard]] constexpr parts_of_recursion divide(std::size_t tasks) {
  const std::size_t below = tasks - 1;
  const std::size_t spawned = below * 5 / 8;
  return {spawned, below - spawned};
}

/// Throws std::logic_error if a recursion has not run all of its tasks.
inline void expect_tasks(std::size_t counted, std::size_t tasks) {
  if (counted == tasks) return;
  throw std::logic_error("A recursion of " + std::to_string(tasks) + " tasks has run " +
                         std::to_string(counted) + ".");
}

}  // namespace hocket::bench
