// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <hocket/core/error.hpp>
#include <hocket/core/printable.hpp>

namespace tools {

/// Reads one object of a JSON file that may be damaged. What lacks, or has another type or size, is
/// refused by an error that names the place.
class json_reader {
 public:
  /// where: how messages name the value.
  json_reader(const boost::json::value& from, std::string where) : where_(std::move(where)) {
    from_ = from.if_object();
    if (from_ == nullptr) refuse("is no object in braces");
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw hocket::error(
        hocket::failure(hocket::failure_code::io, fmt::format("{} {}.", where_, why)));
  }

  [[nodiscard]] bool has(const char* key) const { return from_->contains(key); }
  [[nodiscard]] bool is_null(const char* key) const { return at(key).is_null(); }
  [[nodiscard]] json_reader object(const char* key) const { return {at(key), place(key)}; }

  [[nodiscard]] std::uint64_t number(
      const char* key, std::uint64_t max = std::numeric_limits<std::uint64_t>::max()) const {
    return whole(at(key), key, max);
  }
  [[nodiscard]] std::int64_t signed_number(const char* key) const {
    boost::json::error_code problem;
    const auto made = at(key).to_number<std::int64_t>(problem);
    if (problem) refuse(fmt::format("has no whole number \"{}\"", key));
    return made;
  }
  /// Not negative, and finite.
  [[nodiscard]] double rate(const char* key) const {
    boost::json::error_code problem;
    const auto made = at(key).to_number<double>(problem);
    if (problem || !(made >= 0) || made > 1e30) {
      refuse(fmt::format("has no number of 0 or more in \"{}\"", key));
    }
    return made;
  }
  [[nodiscard]] bool flag(const char* key) const {
    const bool* const found = at(key).if_bool();
    if (found == nullptr) refuse(fmt::format("has neither true nor false in \"{}\"", key));
    return *found;
  }
  [[nodiscard]] std::string text(const char* key) const { return text_of(at(key), key); }
  template <class Value>
  [[nodiscard]] Value one_of(
      const char* key, std::initializer_list<std::pair<std::string_view, Value>> known) const {
    const std::string found = text(key);
    for (const auto& [name, value] : known) {
      if (name == found) return value;
    }
    refuse(fmt::format("has {} in \"{}\", which this program does not know",
                       hocket::in_quotes(found), key));
  }

  /// Calls read(json_reader) for each object of a list.
  template <class Read>
  void each(const char* key, const Read& read) const {
    std::size_t i = 0;
    for (const boost::json::value& value : list(key)) {
      read(json_reader(value, fmt::format("{}[{}]", place(key), i++)));
    }
  }
  template <class Read>
  void each_number(const char* key, std::uint64_t max, const Read& read) const {
    for (const boost::json::value& value : list(key)) read(whole(value, key, max));
  }
  template <class Read>
  void each_text(const char* key, const Read& read) const {
    for (const boost::json::value& value : list(key)) read(text_of(value, key));
  }

 private:
  [[nodiscard]] std::string place(const char* key) const {
    return fmt::format("{}, {}", where_, key);
  }
  [[nodiscard]] const boost::json::value& at(const char* key) const {
    const boost::json::value* const found = from_->if_contains(key);
    if (found == nullptr) refuse(fmt::format("has no \"{}\"", key));
    return *found;
  }
  [[nodiscard]] const boost::json::array& list(const char* key) const {
    const boost::json::array* const found = at(key).if_array();
    if (found == nullptr) refuse(fmt::format("has no list \"{}\"", key));
    return *found;
  }
  [[nodiscard]] std::uint64_t whole(const boost::json::value& value, const char* key,
                                    std::uint64_t max) const {
    boost::json::error_code problem;
    const auto made = value.to_number<std::uint64_t>(problem);
    if (problem || made > max) {
      refuse(fmt::format("has no whole number from 0 to {} in \"{}\"", max, key));
    }
    return made;
  }
  [[nodiscard]] std::string text_of(const boost::json::value& value, const char* key) const {
    const boost::json::string* const found = value.if_string();
    if (found == nullptr) refuse(fmt::format("has no text in \"{}\"", key));
    return std::string(*found);
  }

  const boost::json::object* from_ = nullptr;
  std::string where_;
};

}  // namespace tools
