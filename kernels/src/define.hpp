// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>

namespace hocket::detail {

/// A line that defines a macro in the languages of devices.
[[nodiscard]] inline std::string define(const std::string& what, const std::string& as) {
  return "#define " + what + " " + as + "\n";
}

}  // namespace hocket::detail
