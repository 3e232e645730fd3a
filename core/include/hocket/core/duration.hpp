// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <chrono>
#include <cstdint>

namespace hocket {

/// Time since a clock's own start, in nanoseconds. Every clock of Hocket, real or virtual, counts
/// so.
using nanoseconds = std::chrono::nanoseconds;
using time_stamp = nanoseconds;

}  // namespace hocket
