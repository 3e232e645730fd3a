// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/driver_failure.hpp>

#include <algorithm>

#include <hocket/core/printable.hpp>
#include <hocket/devices/device.hpp>

namespace hocket {

namespace {

/// In one line, as warnings and messages of failures are.
std::string first_lines(const std::string& log) {
  constexpr std::size_t max_lines = 8, max_characters = 1000;
  constexpr const char* blanks = " \t\r\n";
  std::string text;
  std::size_t at = 0;
  for (std::size_t line = 0; line < max_lines; ++line) {
    const std::size_t begin = log.find_first_not_of(blanks, at);
    if (begin == std::string::npos) break;
    at = std::min(log.find('\n', begin), log.size());
    const std::size_t last = log.find_last_not_of(blanks, at - 1);
    if (!text.empty()) text += text.ends_with(':') ? " " : "; ";
    text += log.substr(begin, last + 1 - begin);
  }
  return printable(text, max_characters);
}

}  // namespace

failure_code meaning_of(std::span<const driver_code> codes, int code, failure_code otherwise) {
  const auto found = std::ranges::find(codes, code, &driver_code::code);
  return found == codes.end() ? otherwise : found->meaning;
}

std::string text_of(std::span<const driver_code> codes, int code) {
  const auto found = std::ranges::find(codes, code, &driver_code::code);
  const std::string number = std::to_string(code);
  return found == codes.end() ? "code " + number : std::string(found->name) + " (" + number + ")";
}

failure driver_failure(failure_code meaning, const std::string& device, const std::string& what,
                       const std::string& code) {
  return {meaning, device_title(device) + " " + what + ": its driver says " + code + "."};
}

failure no_memory(const std::string& device, std::size_t bytes, const std::string& why) {
  return {failure_code::out_of_memory,
          device_title(device) + " has no memory for " + std::to_string(bytes) + " bytes: " + why};
}

failure compile_failure(const std::string& device, const std::string& kernel,
                        const std::string& log) {
  return {failure_code::compile_failed, "Kernel \"" + kernel + "\" does not compile for device \"" +
                                            device + "\": " + first_lines(log)};
}

}  // namespace hocket
