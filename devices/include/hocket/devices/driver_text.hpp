// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <span>
#include <string>

namespace hocket {

/// What a driver calls something, for people: up to the first zero, cut where it is too long to
/// read, and with a question mark for each character that is not printable ASCII.
[[nodiscard]] std::string driver_text(std::span<const char> field);

/// The same for a name, which has to be something: "unnamed" where there is nothing to read.
[[nodiscard]] std::string driver_name(std::span<const char> field);

}  // namespace hocket
