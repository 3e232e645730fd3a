// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/fault_plan.hpp>

#include <array>
#include <charconv>
#include <utility>

#include <hocket/core/error.hpp>
#include <hocket/core/printable.hpp>

#include "rule_text.hpp"

namespace hocket {

namespace {

/// The shortest text that is read as this very percentage, in any locale.
std::string amount(double percent) {
  constexpr std::size_t most = 1500;  // more than any number needs
  std::string text(most, '\0');
  const auto end =
      std::to_chars(text.data(), text.data() + most, percent, std::chars_format::fixed);
  text.resize(static_cast<std::size_t>(end.ptr - text.data()));
  return text + "%";
}

std::string duration(nanoseconds time) {
  constexpr std::array<std::pair<std::int64_t, const char*>, 3> units{
      {{1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}}};
  for (const auto& [length, name] : units) {
    if (time.count() % length == 0) return std::to_string(time.count() / length) + name;
  }
  return std::to_string(time.count()) + "ns";
}

std::string when(const fault_rule& rule) {
  if (rule.after) return "after " + duration(*rule.after);
  if (rule.percent > 0) return amount(rule.percent);
  const std::uint64_t last = rule.last.value_or(rule.first);
  if (last == fault_rule::no_end) return std::to_string(rule.first) + "..";
  if (last == rule.first) return std::to_string(rule.first);
  return std::to_string(rule.first) + ".." + std::to_string(last);
}

}  // namespace

std::string_view to_string(fault_action action) noexcept {
  return faults::action_names[static_cast<std::size_t>(action)];
}

std::string_view to_string(fault_call call) noexcept {
  return faults::call_names[static_cast<std::size_t>(call)];
}

std::string to_string(const fault_rule& rule) {
  std::string text = std::string(to_string(rule.action)) + " " + rule.device + " ";
  if (rule.call) text += std::string(to_string(*rule.call)) + " ";
  text += when(rule);
  if (rule.action == fault_action::delay) text += " by " + duration(rule.by);
  return text;
}

fault_plan::fault_plan() noexcept = default;
fault_plan::fault_plan(const fault_plan& other) = default;
fault_plan::fault_plan(fault_plan&& other) noexcept = default;
fault_plan& fault_plan::operator=(const fault_plan& other) = default;
fault_plan& fault_plan::operator=(fault_plan&& other) noexcept = default;
fault_plan::~fault_plan() = default;

fault_plan::fault_plan(std::string_view text, std::string source) : source_(std::move(source)) {
  faults::read_plan(text, *this);
}

void fault_plan::add(fault_rule rule) {
  faults::check_rule(rule, source() + ", rule " + std::to_string(rules_.size() + 1) + " (" +
                               in_quotes(to_string(rule)) + ")");
  rules_.push_back(std::move(rule));
}

std::string to_string(const fault_counts& counts) {
  const std::array<std::pair<std::uint64_t, const char*>, 5> all{{{counts.failed, "failed"},
                                                                  {counts.delayed, "delayed"},
                                                                  {counts.hung, "hung"},
                                                                  {counts.corrupted, "corrupted"},
                                                                  {counts.lost, "lost"}}};
  std::string text;
  for (const auto& [count, name] : all) {
    if (count == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  }
  return text.empty() ? "none" : text;
}

}  // namespace hocket
