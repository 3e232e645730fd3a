// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hocket::bench {

/// A graph of tasks that do nothing. A task comes after all tasks that it follows.
struct shape {
  std::string name;
  std::vector<std::uint32_t> first;    ///< of each task, and one more: where its list begins
  std::vector<std::uint32_t> follows;  ///< the lists, one after the other

  [[nodiscard]] std::size_t size() const noexcept { return first.size() - 1; }
};

/// Independent tasks, a chain, a binary tree, a wavefront over a square (after the task above and
/// the one on the left), and a random graph (one to four of the hundred tasks before), with about
/// so many tasks each.
[[nodiscard]] std::vector<shape> all_shapes(std::size_t tasks);

}  // namespace hocket::bench
