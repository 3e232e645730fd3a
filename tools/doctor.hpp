// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include "command_line.hpp"

namespace tools {

/// Prints what was checked; returns false if something is broken.
[[nodiscard]] bool examine(const request& asked);

}  // namespace tools
