// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/driver_text.hpp>

#include <algorithm>

namespace hocket {

std::string driver_text(std::span<const char> field) {
  constexpr std::size_t most = 256;
  const auto end = std::ranges::find(field, '\0');
  std::string text(field.begin(), end);
  text.resize(std::min(text.size(), most));
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

std::string driver_name(std::span<const char> field) {
  const std::string text = driver_text(field);
  return text.find_first_not_of(" ?") == std::string::npos ? "unnamed" : text;
}

}  // namespace hocket
