// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hocket/core/duration.hpp>

namespace hocket {

/// Reads "lanes=2,memory=1G": each key is taken once, by the function for its kind of value, which
/// returns nothing if the key is not there. Everything wrong throws a usage_error that names the
/// key, the value and what is allowed.
class configuration_reader {
 public:
  struct entry {
    std::string key;
    std::string value;
  };

  /// backend is named in messages. An empty text has no keys.
  configuration_reader(const std::string& backend, std::string_view text);
  /// Reads entries that came in another form. Messages say that they are `of` something: "device 2
  /// of machine \"mine\"".
  configuration_reader(std::string of, std::vector<entry> entries);

  [[nodiscard]] std::optional<std::string> text(const char* key) { return take(key); }
  [[nodiscard]] std::optional<std::uint64_t> number(const char* key, std::uint64_t min,
                                                    std::uint64_t max);
  /// Such as 64K or 2G: powers of 1024.
  [[nodiscard]] std::optional<std::uint64_t> bytes(const char* key);
  /// For each second, such as 250M or 1.5G: powers of 1000. Zero is allowed.
  [[nodiscard]] std::optional<double> rate(const char* key);
  /// Such as 0, 500ns, 2us, 1.5ms or 1s.
  [[nodiscard]] std::optional<nanoseconds> duration(const char* key);
  /// "yes" or "no".
  [[nodiscard]] std::optional<bool> flag(const char* key);

  /// Called last: refuses keys that were not asked for, and names those that were.
  void finish() const;

 private:
  void add(entry&& e);
  [[nodiscard]] std::optional<std::string> take(const char* key);
  [[nodiscard]] std::string what(const char* key) const;

  std::string of_;
  std::vector<entry> entries_;
  std::vector<std::string> known_;
};

}  // namespace hocket
