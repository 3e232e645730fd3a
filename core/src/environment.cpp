// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/core/environment.hpp>

#include <charconv>
#include <cstdlib>

#include <hocket/core/error.hpp>
#include <hocket/core/printable.hpp>

namespace hocket {

namespace {

[[noreturn]] void refuse(std::string_view what, std::string_view text, const std::string& allowed) {
  throw usage_error(std::string(what) + " is " + in_quotes(text) + "; it must be " + allowed + ".");
}

}  // namespace

std::optional<std::string> environment_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::uint64_t parse_number(std::string_view what, std::string_view text, std::uint64_t min,
                           std::uint64_t max) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc() || stop != end || number < min || number > max) {
    refuse(what, text, "a whole number from " + std::to_string(min) + " to " + std::to_string(max));
  }
  return number;
}

std::uint64_t parse_bytes(std::string_view what, std::string_view text) {
  constexpr std::string_view units = "KMGT";
  constexpr const char* allowed = "a number of bytes such as 4096, 64K, 512M or 2G";
  unsigned shift = 0;
  std::string_view digits = text;
  if (!digits.empty()) {
    const std::size_t unit = units.find(digits.back());
    if (unit != std::string_view::npos) {
      shift = 10 * static_cast<unsigned>(unit + 1);
      digits.remove_suffix(1);
    }
  }
  std::uint64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, problem] = std::from_chars(digits.data(), end, number);
  if (problem != std::errc() || stop != end || ((number << shift) >> shift) != number) {
    refuse(what, text, allowed);
  }
  return number << shift;
}

nanoseconds parse_duration(std::string_view what, std::string_view text) {
  struct unit {
    std::string_view name;
    std::int64_t length;
  };
  // Longer names first: "ms" ends with "s".
  constexpr unit units[] = {
      {"ms", 1'000'000}, {"s", 1'000'000'000}, {"m", 60'000'000'000}, {"h", 3'600'000'000'000}};
  for (const auto& [name, length] : units) {
    if (!text.ends_with(name)) continue;
    const std::string_view digits = text.substr(0, text.size() - name.size());
    std::int64_t number = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, problem] = std::from_chars(digits.data(), end, number);
    const bool is_number = problem == std::errc() && stop == end;
    if (!is_number || number <= 0 || number > nanoseconds::max().count() / length) break;
    return nanoseconds(number * length);
  }
  refuse(what, text, "a time such as 500ms, 10s, 2m or 1h");
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
    if (text.empty()) parts.emplace_back();
  }
  return parts;
}

}  // namespace hocket
