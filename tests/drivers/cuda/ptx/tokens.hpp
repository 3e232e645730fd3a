// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace standin {

/// A word, a number, a text between quotes or a single character of PTX.
struct token {
  std::string_view text;
  unsigned line = 0;
};

/// Splits PTX into tokens without comments. They are views of `source`. The last one is empty.
std::vector<token> split_tokens(std::string_view source);

}  // namespace standin
