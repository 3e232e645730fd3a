// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <vector>

#include <graphs/subject.hpp>

namespace hocket::bench {

/// The eleven dependence patterns of Task Bench: width tasks a step, each after tasks of the step
/// before. width is a power of two and at least 8.
[[nodiscard]] std::vector<shape> task_bench_patterns(std::size_t width, std::size_t steps);

}  // namespace hocket::bench
