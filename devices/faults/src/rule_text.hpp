// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <string>
#include <string_view>

#include <hocket/devices/fault_plan.hpp>

namespace hocket::faults {

/// In the order of the enumerations.
inline constexpr std::array<std::string_view, 5> action_names{"fail", "delay", "hang", "corrupt",
                                                              "lose"};
inline constexpr std::array<std::string_view, 7> call_names{
    "allocation", "copy", "copy-in", "copy-out", "launch", "wait", "compile"};

/// Adds the rules of a text, or of the file that it names. Throws usage_error.
void read_plan(std::string_view text, fault_plan& to);

/// Throws usage_error for a rule that makes no sense. place begins the message.
void check_rule(const fault_rule& rule, const std::string& place);

}  // namespace hocket::faults
