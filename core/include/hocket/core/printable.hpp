// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hocket {

/// A text of a file, the environment or a caller as messages show it: with a question mark for each
/// control character, so that it stays on its line and moves no cursor, and with "..." in place of
/// what is beyond `most` bytes.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most = 400);

/// Text as printable() makes it, in quotation marks, which "..." stands within.
[[nodiscard]] std::string in_quotes(std::string_view text, std::size_t most = 400);

}  // namespace hocket
