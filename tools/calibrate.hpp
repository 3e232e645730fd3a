// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include "command_line.hpp"

namespace tools {

/// Measures the devices, keeps what they take for later processes and prints it. Returns the exit
/// code: 130 if it was interrupted, 1 if a device failed.
[[nodiscard]] int calibrate(const request& asked);

}  // namespace tools
