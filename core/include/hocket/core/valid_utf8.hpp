// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>

namespace hocket {

/// The text with U+FFFD, the replacement character, in place of each byte that is no part of valid
/// UTF-8. Labels may have any bytes, which readers of JSON refuse.
[[nodiscard]] std::string valid_utf8(std::string text);

}  // namespace hocket
