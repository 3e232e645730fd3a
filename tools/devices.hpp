// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/scheduler/runtime.hpp>

#include "command_line.hpp"

namespace tools {

/// The options of a runtime with the devices that are asked for.
[[nodiscard]] hocket::runtime_options options_for(const request& asked);

/// Prints the devices of a runtime.
void list_devices(const request& asked);

}  // namespace tools
