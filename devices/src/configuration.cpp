// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/configuration.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <hocket/core/environment.hpp>
#include <hocket/core/error.hpp>
#include <hocket/core/printable.hpp>

namespace hocket {

namespace {

struct unit {
  std::string_view suffix;
  double factor;
};

[[noreturn]] void refuse(const std::string& what, std::string_view text, const char* allowed) {
  throw usage_error(what + " is " + in_quotes(text) + "; it must be " + allowed + ".");
}

/// A number that is not negative, times the factor of the unit it ends with.
template <std::size_t Count>
std::optional<double> scaled(std::string_view text, const std::array<unit, Count>& units) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc() || !std::isfinite(number) || std::signbit(number)) return {};
  const std::string_view suffix(stop, static_cast<std::size_t>(end - stop));
  if (number == 0 && suffix.empty()) return 0.0;
  const auto found =
      std::find_if(units.begin(), units.end(), [&](const unit& u) { return u.suffix == suffix; });
  if (found == units.end()) return {};
  return number * found->factor;
}

}  // namespace

configuration_reader::configuration_reader(const std::string& backend, std::string_view text)
    : of_("the configuration of " + backend) {
  for (const std::string& part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw usage_error("The configuration of " + backend + " has the part " + in_quotes(part) +
                        "; each part must be key=value.");
    }
    add({part.substr(0, equals), part.substr(equals + 1)});
  }
}

configuration_reader::configuration_reader(std::string of, std::vector<entry> entries)
    : of_(std::move(of)) {
  for (entry& e : entries) add(std::move(e));
}

void configuration_reader::add(entry&& e) {
  const auto same = [&](const entry& other) { return other.key == e.key; };
  if (std::any_of(entries_.begin(), entries_.end(), same)) {
    throw usage_error(in_quotes(e.key) + " is given twice in " + of_ + ".");
  }
  entries_.push_back(std::move(e));
}

std::optional<std::uint64_t> configuration_reader::number(const char* key, std::uint64_t min,
                                                          std::uint64_t max) {
  const auto text = take(key);
  if (!text) return {};
  return parse_number(what(key), *text, min, max);
}

std::optional<std::uint64_t> configuration_reader::bytes(const char* key) {
  const auto text = take(key);
  if (!text) return {};
  return parse_bytes(what(key), *text);
}

std::optional<double> configuration_reader::rate(const char* key) {
  static constexpr std::array<unit, 5> units{
      {{"", 1}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}}};
  // Times that are amounts divided by rates stay finite and are no NaN.
  constexpr double least = 1e-18, most = 1e30;
  const auto text = take(key);
  if (!text) return {};
  const auto value = scaled(*text, units);
  if (!value || *value > most || (*value > 0 && *value < least)) {
    refuse(what(key), *text,
           "0 or a number for each second from 1e-18 to 1e30, such as 250M, 1.5G or 2T");
  }
  return value;
}

std::optional<nanoseconds> configuration_reader::duration(const char* key) {
  static constexpr std::array<unit, 4> units{{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  constexpr double day = 86400e9;
  const auto text = take(key);
  if (!text) return {};
  const auto value = scaled(*text, units);
  if (!value || *value > day) {
    refuse(what(key), *text, "a time of at most a day such as 0, 500ns, 2us, 1.5ms or 1s");
  }
  return nanoseconds(std::llround(*value));
}

std::optional<bool> configuration_reader::flag(const char* key) {
  const auto text = take(key);
  if (!text) return {};
  if (*text != "yes" && *text != "no") refuse(what(key), *text, "yes or no");
  return *text == "yes";
}

void configuration_reader::finish() const {
  if (entries_.empty()) return;
  std::string known;
  for (const std::string& key : known_) known += (known.empty() ? "" : ", ") + key;
  const entry& first = entries_.front();
  throw usage_error("There is " + in_quotes(first.key + "=" + first.value) + " in " + of_ +
                    "; the keys are: " + known + ".");
}

std::optional<std::string> configuration_reader::take(const char* key) {
  known_.emplace_back(key);
  const auto at =
      std::find_if(entries_.begin(), entries_.end(), [&](const entry& e) { return e.key == key; });
  if (at == entries_.end()) return {};
  std::string value = std::move(at->value);
  entries_.erase(at);
  return value;
}

std::string configuration_reader::what(const char* key) const {
  return in_quotes(key) + " in " + of_;
}

}  // namespace hocket
