// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "measure.hpp"

namespace hocket::bench {

/// One contender of one comparison, by their names.
struct sample_choice {
  std::string name;
  std::string metric;
  std::string subject;
  std::size_t rounds = 0;
};

/// Takes so many samples of what was chosen and nothing else. Throws std::runtime_error if there is
/// no such contender.
void take_samples(const std::vector<comparison>& all, const sample_choice& chosen);

/// Counts with callgrind how many instructions a task takes, of each contender and in so many
/// samples: of all threads, from the begin of the work to its end. Every contender gets a process
/// of its own: this program, called with `[--quick] samples CASE METRIC SUBJECT ROUNDS`. Throws
/// std::runtime_error where there is no valgrind.
[[nodiscard]] std::vector<row> count_instructions(const comparison& what, std::size_t rounds,
                                                  bool quick);

}  // namespace hocket::bench
