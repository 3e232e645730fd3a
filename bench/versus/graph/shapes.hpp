// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <vector>

#include <graphs/subject.hpp>

namespace hocket::bench {

/// Independent tasks, a chain, a binary tree, a wavefront over a square (after the task above and
/// the one on the left), and a random graph (one to four of the hundred tasks before), with about
/// so many tasks each.
[[nodiscard]] std::vector<shape> all_shapes(std::size_t tasks);

}  // namespace hocket::bench
