// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/core/valid_utf8.hpp>

#include <cstddef>
#include <string_view>

namespace hocket {

namespace {

/// The values that the second byte of a character may have, and how many bytes the character has.
struct character_form {
  std::size_t bytes = 0;  ///< 0: no character begins so
  unsigned char least = 0x80;
  unsigned char most = 0xBF;
};

/// Table 3-7 of the Unicode standard. Where the second byte is limited further, the character would
/// have a shorter form, be a surrogate or be beyond U+10FFFF.
character_form form_of(unsigned char first) noexcept {
  if (first < 0x80) return {.bytes = 1};
  if (first < 0xC2) return {};
  if (first < 0xE0) return {.bytes = 2};
  if (first == 0xE0) return {.bytes = 3, .least = 0xA0};
  if (first == 0xED) return {.bytes = 3, .most = 0x9F};
  if (first < 0xF0) return {.bytes = 3};
  if (first == 0xF0) return {.bytes = 4, .least = 0x90};
  if (first < 0xF4) return {.bytes = 4};
  if (first == 0xF4) return {.bytes = 4, .most = 0x8F};
  return {};
}

/// How many bytes the character has that the text begins with; 0 if it begins with none.
std::size_t bytes_of_first(std::string_view text) noexcept {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const character_form form = form_of(at(0));
  if (form.bytes < 2) return form.bytes;
  if (text.size() < form.bytes || at(1) < form.least || at(1) > form.most) return 0;
  for (std::size_t i = 2; i < form.bytes; ++i) {
    if (at(i) < 0x80 || at(i) > 0xBF) return 0;
  }
  return form.bytes;
}

/// How many bytes from the begin are valid.
std::size_t valid_bytes(std::string_view text) noexcept {
  std::size_t valid = 0;
  while (valid < text.size()) {
    const std::size_t bytes = bytes_of_first(text.substr(valid));
    if (bytes == 0) break;
    valid += bytes;
  }
  return valid;
}

}  // namespace

std::string valid_utf8(std::string text) {
  constexpr std::string_view replacement = "\xEF\xBF\xBD";
  std::size_t valid = valid_bytes(text);
  if (valid == text.size()) return text;
  std::string made;
  std::string_view rest = text;
  for (; valid < rest.size(); valid = valid_bytes(rest)) {
    made += rest.substr(0, valid);
    made += replacement;
    rest.remove_prefix(valid + 1);
  }
  return made.append(rest);
}

}  // namespace hocket
