// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace house {

/// A block of code between braces that is neither a namespace nor a type: a function, mostly.
struct block {
  std::size_t first_line = 0;
  std::size_t lines = 0;
};

/// Returns `source` with comments, preprocessor lines and literals blanked out. Line ends stay.
std::string blank_out(std::string_view source);

/// Returns the functions of a C++ source, those of classes included, in the order of their ends.
std::vector<block> functions(std::string_view source);

}  // namespace house
