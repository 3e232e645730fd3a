// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>

#include <hocket/scheduler/runtime.hpp>

#include "program.hpp"
#include "run.hpp"

namespace hocket::seeded {

/// Runs the steps on a runtime that other programs may use as well, and compares what can be seen
/// of them with the interpreter. Returns what is wrong; empty if nothing is.
[[nodiscard]] std::string run_steps(runtime& rt, const program& made, const run_settings& settings);

/// Says which device has more in its memory than it may have; empty if none has.
[[nodiscard]] std::string wrong_memory(runtime& rt);

}  // namespace hocket::seeded
