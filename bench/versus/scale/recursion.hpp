// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace hocket::bench {

/// How a call of a recursion divides the tasks that are left: between the task that it spawns and
/// its call of itself.
struct parts_of_recursion {
  std::size_t spawned = 0;
  std::size_t called = 0;
};

/// Of tasks, at least one, the call spawns one; the rest is divided as unequally as by the
/// Fibonacci recursion.
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
