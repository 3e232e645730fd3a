// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>

#include "calibration.hpp"

namespace tools {

/// The text of a machine file of simulated devices that take what was measured.
[[nodiscard]] std::string machine_file(const calibration& measured);

}  // namespace tools
