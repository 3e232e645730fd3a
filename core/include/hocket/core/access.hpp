// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <string_view>

namespace hocket {

/// What a task does with a region of a buffer.
enum class access_mode : std::uint8_t {
  read,    ///< needs the content, leaves it
  write,   ///< replaces all of the content, never sees the old one
  update,  ///< needs the content and replaces it
};

[[nodiscard]] constexpr bool reads_content(access_mode mode) noexcept {
  return mode != access_mode::write;
}
[[nodiscard]] constexpr bool writes_content(access_mode mode) noexcept {
  return mode != access_mode::read;
}

/// "reads", "writes" or "updates", as in a sentence about a task.
[[nodiscard]] constexpr std::string_view to_string(access_mode mode) noexcept {
  switch (mode) {
    case access_mode::read:
      return "reads";
    case access_mode::write:
      return "writes";
    case access_mode::update:
      return "updates";
  }
  return "";
}

}  // namespace hocket
