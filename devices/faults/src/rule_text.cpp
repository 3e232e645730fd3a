// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "rule_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <sstream>
#include <vector>

#include <hocket/core/environment.hpp>
#include <hocket/core/error.hpp>
#include <hocket/core/printable.hpp>
#include <hocket/core/text_file.hpp>
#include <hocket/devices/configuration.hpp>

namespace hocket::faults {

namespace {

template <std::size_t Count>
std::string joined(const std::array<std::string_view, Count>& names) {
  std::string text;
  for (const std::string_view name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

template <std::size_t Count>
std::optional<std::size_t> index_of(const std::array<std::string_view, Count>& names,
                                    std::string_view name) {
  const auto at = std::ranges::find(names, name);
  if (at == names.end()) return {};
  return static_cast<std::size_t>(at - names.begin());
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc() || stop != end) return {};
  return number;
}

/// The words of one rule, taken one after the other.
class rule_reader {
 public:
  rule_reader(std::string place, std::vector<std::string> words)
      : place_(std::move(place)), words_(std::move(words)) {}

  [[nodiscard]] bool has_more() const noexcept { return next_ < words_.size(); }
  [[nodiscard]] bool take_if(std::string_view word) {
    const bool same = has_more() && words_[next_] == word;
    if (same) ++next_;
    return same;
  }
  /// meaning stands in the message where no word is left.
  [[nodiscard]] std::string take(const char* meaning) {
    if (!has_more()) refuse(std::string("it ends where ") + meaning + " is to stand.");
    return words_[next_++];
  }
  template <std::size_t Count>
  [[nodiscard]] std::size_t take_one_of(const std::array<std::string_view, Count>& names,
                                        const std::string& kind) {
    const std::string word = take(("one of " + joined(names)).c_str());
    const auto index = index_of(names, word);
    if (!index) {
      refuse("there is no " + kind + " " + in_quotes(word) + "; the " + kind +
             "s are: " + joined(names) + ".");
    }
    return *index;
  }
  [[nodiscard]] nanoseconds take_time(const char* key) {
    const std::string word = take("a time such as 500ns, 20us, 1.5ms or 2s");
    return *configuration_reader(place_, {{key, word}}).duration(key);
  }
  void finish() const {
    if (has_more()) refuse(in_quotes(words_[next_]) + " stands behind its end.");
  }
  [[noreturn]] void refuse(const std::string& why) const { throw usage_error(place_ + ": " + why); }

 private:
  std::string place_;
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

double percentage(const rule_reader& in, std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size() - 1;
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc() || stop != end || !(number > 0 && number <= 100)) {
    in.refuse(in_quotes(text) + " must be more than 0% and at most 100%.");
  }
  return number;
}

void read_numbers(const rule_reader& in, const std::string& text, fault_rule& to) {
  const std::size_t dots = text.find("..");
  const auto first = whole_number(std::string_view(text).substr(0, dots));
  std::optional<std::uint64_t> last = first;
  if (dots != std::string::npos) {
    const std::string_view rest = std::string_view(text).substr(dots + 2);
    last = rest.empty() ? fault_rule::no_end : whole_number(rest);
  }
  if (!first || !last) {
    in.refuse(in_quotes(text) +
              " does not say when; it must be a number of calls such as 3, 3..5 or 3.., a "
              "percentage such as 2.5%, or \"after\" and a time.");
  }
  to.first = *first;
  if (*last != *first) to.last = last;
}

void read_when(rule_reader& in, fault_rule& to) {
  if (in.take_if("after")) {
    to.after = in.take_time("after");
    return;
  }
  const std::string word = in.take("a number of calls, a percentage or \"after\"");
  if (word.ends_with('%')) {
    to.percent = percentage(in, word);
  } else {
    read_numbers(in, word, to);
  }
}

fault_rule read_rule(rule_reader& in) {
  fault_rule made;
  made.action = static_cast<fault_action>(in.take_one_of(action_names, "action"));
  made.device = in.take("the name of a device, or *,");
  if (made.action == fault_action::lose && in.take_if("after")) {
    made.call = {};
    made.after = in.take_time("after");
  } else {
    made.call = static_cast<fault_call>(in.take_one_of(call_names, "call"));
    read_when(in, made);
  }
  if (in.take_if("by")) {
    if (made.action != fault_action::delay) in.refuse("only a delay has \"by\".");
    made.by = in.take_time("by");
  }
  in.finish();
  return made;
}

/// The text without comments, with one separator.
std::string plain(std::string_view text) {
  std::string made;
  bool in_comment = false;
  for (const char c : text) {
    if (c == '\n') in_comment = false;
    if (c == '#') in_comment = true;
    if (!in_comment) made += c == '\n' ? ';' : c;
  }
  return made;
}

std::vector<std::string> words_of(const std::string& rule) {
  std::istringstream in(rule);
  return {std::istream_iterator<std::string>(in), {}};
}

std::string file_text(const std::string& name, const std::string& source) {
  // Some ten thousand rules.
  constexpr std::uint64_t max_bytes = std::uint64_t{1} << 20U;
  result<std::string> text = read_text_file(name, max_bytes);
  if (text) return std::move(text).value();
  throw usage_error(source + " is " + in_quotes("@" + name) +
                    "; that file cannot be read: " + text.error().message() + ".");
}

std::string quoted(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : " ").append(word);
  return in_quotes(text);
}

}  // namespace

void check_rule(const fault_rule& rule, const std::string& place) {
  const auto refuse = [&](const std::string& why) { throw usage_error(place + ": " + why); };
  if (rule.device.empty()) refuse("it names no device; it must have a name, or * for each.");
  if (rule.by != nanoseconds{0} && rule.action != fault_action::delay) {
    refuse("only a delay has \"by\".");
  }
  if (rule.action == fault_action::delay && rule.by <= nanoseconds{0}) {
    refuse("a delay needs \"by\" and a time of more than 0, such as by 2ms.");
  }
  if (rule.after && *rule.after < nanoseconds{0}) refuse("the time after \"after\" is negative.");
  if (!rule.call) {
    if (rule.action != fault_action::lose || !rule.after) {
      refuse("only \"lose DEVICE after TIME\" needs no call.");
    }
    return;
  }
  if (!(rule.percent >= 0 && rule.percent <= 100)) refuse("a percentage is from 0 to 100.");
  if (rule.first == 0) refuse("calls are counted from 1.");
  if (rule.last && *rule.last < rule.first) {
    refuse("the last call, " + std::to_string(*rule.last) + ", comes before the first, " +
           std::to_string(rule.first) + ".");
  }
  // An allocation is answered at once, by the thread that places tasks.
  const bool answered_at_once = *rule.call == fault_call::allocation;
  const bool holds = rule.action == fault_action::delay || rule.action == fault_action::hang;
  if (answered_at_once && (holds || rule.action == fault_action::corrupt)) {
    refuse("an allocation can fail, or lose its device, and nothing else.");
  }
  const bool writes = *rule.call != fault_call::wait && *rule.call != fault_call::compile;
  if (rule.action == fault_action::corrupt && !writes) {
    refuse("only copies and launches write what can be corrupted.");
  }
}

void read_plan(std::string_view text, fault_plan& to) {
  const std::string kept =
      text.starts_with('@') ? file_text(std::string(text.substr(1)), to.source()) : "";
  std::size_t number = 0;
  for (const std::string& part : split(plain(text.starts_with('@') ? kept : text), ';')) {
    const std::vector<std::string> words = words_of(part);
    if (words.empty()) continue;
    rule_reader in(to.source() + ", rule " + std::to_string(++number) + " (" + quoted(words) + ")",
                   words);
    if (in.take_if("seed")) {
      const std::string word = in.take("a whole number");
      const auto seed = whole_number(word);
      if (!seed) in.refuse("the seed is " + in_quotes(word) + "; it must be a whole number.");
      to.set_seed(*seed);
      in.finish();
      continue;
    }
    fault_rule rule = read_rule(in);
    check_rule(rule, to.source() + ", rule " + std::to_string(number) + " (" + quoted(words) + ")");
    to.add(std::move(rule));
  }
}

}  // namespace hocket::faults
