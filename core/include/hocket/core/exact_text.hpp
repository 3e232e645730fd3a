// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <charconv>
#include <string>

namespace hocket {

/// The shortest text that is read as this very number by std::from_chars. Numbers of JSON are read
/// with an error in the last bit.
[[nodiscard]] inline std::string exact_text(double number) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

}  // namespace hocket
