// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <hocket/core/error.hpp>

namespace fuzz {

/// Ends the program, which is what a fuzzer takes for a finding, unless `holds`.
inline void require(bool holds, std::string_view claim) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: this does not hold: %.*s\n", static_cast<int>(claim.size()),
               claim.data());
  std::abort();
}

[[nodiscard]] inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Requires that a message is one sentence of one line, not longer than a page, about the object.
inline void require_good(std::string_view message, std::string_view object) {
  constexpr std::size_t page = 4000;
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == 127; };
  const bool is_good = message.find(object) != std::string_view::npos && message.ends_with('.') &&
                       message.size() <= page && std::ranges::none_of(message, is_control);
  if (!is_good) {
    std::fprintf(stderr, "fuzz: of \"%.*s\": %.*s\n", static_cast<int>(object.size()),
                 object.data(), static_cast<int>(message.size()), message.data());
  }
  require(is_good, "a refusal is one sentence that names the object");
}

/// Calls a reader of unchecked input. It returns a value, or throws a usage_error or
/// an error with a good message about the object; then there is no value. Any other exception is a
/// finding.
template <class Read>
[[nodiscard]] auto read_or_refuse(std::string_view object, const Read& read)
    -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const hocket::usage_error& refusal) {
    require_good(refusal.what(), object);
  } catch (const hocket::error& refusal) {
    require_good(refusal.what(), object);
  }
  return std::nullopt;
}

/// Takes an input apart, from its front. Behind its end there are zeros.
class input_bytes {
 public:
  input_bytes(const std::uint8_t* data, std::size_t size) : rest_(text_of(data, size)) {}

  [[nodiscard]] std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const char first = rest_.front();
    rest_.remove_prefix(1);
    return static_cast<std::uint8_t>(first);
  }
  /// A number below `end`.
  [[nodiscard]] std::size_t below(std::size_t end) { return byte() % end; }
  [[nodiscard]] std::uint64_t number() {
    std::uint64_t made = 0;
    for (std::size_t i = 0; i < sizeof made; ++i) made = made << 8U | byte();
    return made;
  }
  /// The part of the rest before the first `separator`, which is taken as well.
  [[nodiscard]] std::string_view part(char separator) {
    const std::size_t end = std::min(rest_.find(separator), rest_.size());
    const std::string_view made = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return made;
  }
  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }
  [[nodiscard]] bool empty() const noexcept { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace fuzz
