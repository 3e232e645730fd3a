// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>

#include <hocket/core/error.hpp>
#include <hocket/execution/executor.hpp>

namespace hocket::detail {

/// Throws usage_error for a timeout that no clock can measure. The name begins a sentence.
void check_timeout(const std::string& name, nanoseconds timeout);

/// The earlier of the deadline and of when the timeout has passed from now on.
[[nodiscard]] time_stamp first_deadline(nanoseconds timeout, time_stamp deadline,
                                        const executor& clock) noexcept;

/// How a task fails whose time is over before it begins. name: how sentences about it begin.
[[nodiscard]] failure not_begun_in_time(const std::string& name);

}  // namespace hocket::detail
