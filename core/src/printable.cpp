// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/core/printable.hpp>

#include <algorithm>

namespace hocket {

std::string printable(std::string_view text, std::size_t most) {
  constexpr char erase = 127;
  std::string shown(text.substr(0, most));
  std::ranges::replace_if(
      shown, [](char c) { return (c >= 0 && c < ' ') || c == erase; }, '?');
  return text.size() > most ? shown + "..." : shown;
}

std::string in_quotes(std::string_view text, std::size_t most) {
  return '"' + printable(text, most) + '"';
}

}  // namespace hocket
