// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include <stdexcept>
#include <string>

#include "abi.hpp"

namespace standin {

/// Ends an entry point or a kernel with a code of the driver. The text is one line for the person
/// who reads the log.
struct failure : std::runtime_error {
  failure(code why, const std::string& text) : std::runtime_error(text), reason(why) {}
  code reason;
};

}  // namespace standin
