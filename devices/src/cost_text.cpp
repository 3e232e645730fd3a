// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "cost_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include <boost/json.hpp>
#include <boost/uuid/uuid_io.hpp>

#include <hocket/core/exact_text.hpp>

#include "private_files.hpp"

namespace hocket {

namespace {

namespace json = boost::json;

constexpr std::string_view first_words = "hocket costs 2 ";

/// Identities are long and recur: they are written once, and counted.
class identity_list {
 public:
  [[nodiscard]] std::size_t number_of(const std::string& identity) {
    const auto [at, is_new] = numbers_.try_emplace(identity, numbers_.size());
    if (is_new) written_.push_back(json::serialize(json::string(identity)));
    return at->second;
  }
  [[nodiscard]] std::size_t count() const noexcept { return written_.size(); }
  [[nodiscard]] const std::vector<std::string>& written() const noexcept { return written_; }
  /// Only so many, the first ones, are left.
  void shrink(std::size_t count) {
    std::erase_if(numbers_, [&](const auto& each) { return each.second >= count; });
    written_.resize(count);
  }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> written_;
};

std::string joined(const std::vector<std::string>& all) {
  std::string made;
  for (const std::string& each : all) made += (made.empty() ? "" : ",") + each;
  return made;
}

/// The lists of a file, which grow as long as there is room.
class cost_lists {
 public:
  explicit cost_lists(std::uint64_t room) : room_(room) {}

  void add(const launch_cost& each) {
    const std::size_t known = devices_.count();
    add_if_it_fits(
        json::serialize(json::array{devices_.number_of(each.device), each.kernel, each.definition,
                                    exact_text(each.done.flops), exact_text(each.done.bytes),
                                    each.is_wide, each.time.count()}),
        launches_, known);
  }
  void add(const copy_cost& each) {
    const std::size_t known = devices_.count();
    const std::size_t from = devices_.number_of(each.from), to = devices_.number_of(each.to);
    add_if_it_fits(json::serialize(json::array{from, to, each.bytes, each.time.count()}), copies_,
                   known);
  }
  [[nodiscard]] std::string text() const {
    return "{\"devices\":[" + joined(devices_.written()) + "],\"launches\":[" + joined(launches_) +
           "],\"copies\":[" + joined(copies_) + "]}\n";
  }

 private:
  /// Each element counts with a comma. The devices that are not among the known ones are new.
  void add_if_it_fits(std::string&& made, std::vector<std::string>& to, std::size_t known) {
    std::uint64_t bytes = made.size() + 1;
    for (std::size_t i = known; i < devices_.count(); ++i) {
      bytes += devices_.written()[i].size() + 1;
    }
    if (bytes > room_) return devices_.shrink(known);
    room_ -= bytes;
    to.push_back(std::move(made));
  }

  std::uint64_t room_;
  identity_list devices_;
  std::vector<std::string> launches_, copies_;
};

std::string text_of(const json::value& written) { return std::string(written.as_string()); }

/// Amounts are texts, see exact_text().
double amount_of(const json::value& written) {
  const std::string text = text_of(written);
  double amount = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, amount);
  if (problem != std::errc() || stop != end) throw std::invalid_argument("no amount");
  return amount;
}

std::string identity_at(const json::array& devices, const json::value& number) {
  return text_of(devices.at(number.to_number<std::size_t>()));
}

launch_cost launch_of(const json::array& from, const json::array& devices) {
  return {.device = identity_at(devices, from.at(0)),
          .kernel = text_of(from.at(1)),
          .definition = text_of(from.at(2)),
          .done = {amount_of(from.at(3)), amount_of(from.at(4))},
          .is_wide = from.at(5).as_bool(),
          .time = nanoseconds(from.at(6).to_number<std::int64_t>())};
}

copy_cost copy_of(const json::array& from, const json::array& devices) {
  return {.from = identity_at(devices, from.at(0)),
          .to = identity_at(devices, from.at(1)),
          .bytes = from.at(2).to_number<std::uint64_t>(),
          .time = nanoseconds(from.at(3).to_number<std::int64_t>())};
}

bool is_amount(double value) { return std::isfinite(value) && value >= 0; }

template <class Cost>
void add_sound(std::vector<Cost>& to, Cost&& made) {
  if (!is_sound(made)) throw std::invalid_argument("a cost that nothing has");
  to.push_back(std::move(made));
}

}  // namespace

bool is_sound(const launch_cost& cost) {
  return is_amount(cost.done.flops) && is_amount(cost.done.bytes) && cost.time > nanoseconds{0};
}

bool is_sound(const copy_cost& cost) { return cost.time > nanoseconds{0}; }

std::string to_text(const cost_table& costs, std::uint64_t max_bytes) {
  // More than the first line and the names of the lists take.
  constexpr std::uint64_t frame = 128;
  cost_lists made(max_bytes - std::min(frame, max_bytes));
  // Copies have no names of their own, and so take little room.
  for (const copy_cost& each : costs.copies) made.add(each);
  for (const launch_cost& each : costs.launches) made.add(each);
  const std::string body = made.text();
  return std::string(first_words) + to_string(digest_of(body)) + "\n" + body;
}

std::optional<cost_table> parse_costs(std::string_view text) {
  if (!text.starts_with(first_words)) return {};
  text.remove_prefix(first_words.size());
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return {};
  const std::string_view digest = text.substr(0, end);
  text.remove_prefix(end + 1);
  if (to_string(digest_of(text)) != digest) return {};
  // Names come from drivers and programs.
  json::parse_options options;
  options.allow_invalid_utf8 = true;
  try {
    const json::object all = json::parse(text, json::storage_ptr(), options).as_object();
    const json::array& devices = all.at("devices").as_array();
    cost_table made;
    for (const json::value& each : all.at("launches").as_array()) {
      add_sound(made.launches, launch_of(each.as_array(), devices));
    }
    for (const json::value& each : all.at("copies").as_array()) {
      add_sound(made.copies, copy_of(each.as_array(), devices));
    }
    return made;
  } catch (const std::exception&) {
    return {};  // the digest is right, and the text was written by hand
  }
}

}  // namespace hocket
