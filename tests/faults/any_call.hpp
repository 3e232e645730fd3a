// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <set>
#include <string>

#include <hocket/hocket.hpp>

namespace hocket::testing {

/// How a program ended.
struct ending {
  std::string error;    ///< what it threw
  bool right = false;   ///< its result
  std::string printed;  ///< on standard error
};

/// Runs the body with a runtime of its own; the device is what the body's tasks are to run on.
[[nodiscard]] ending run_program(
    const runtime_options& options, const std::string& device,
    const std::function<bool(runtime& rt, const task_options& on)>& body);

/// The first call, one in the middle and the last.
[[nodiscard]] std::set<long> some_of(long calls);
[[nodiscard]] std::set<long> all_of(long calls);

[[nodiscard]] bool has(const std::string& text, const std::string& part);

}  // namespace hocket::testing
