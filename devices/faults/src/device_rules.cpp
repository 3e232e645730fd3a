// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "device_rules.hpp"

#include <algorithm>
#include <utility>

#include <hocket/core/printable.hpp>
#include <hocket/devices/device.hpp>

namespace hocket::faults {

namespace {

failure_code code_of(const fault_rule& rule) {
  if (rule.action == fault_action::lose) return failure_code::device_lost;
  if (rule.action == fault_action::hang) return failure_code::cancelled;
  if (rule.call == fault_call::allocation) return failure_code::out_of_memory;
  if (rule.call == fault_call::compile) return failure_code::compile_failed;
  return failure_code::task_failed;
}

const char* verb_of(fault_action action) {
  switch (action) {
    case fault_action::lose:
      return " loses it";
    case fault_action::hang:
      return " hangs until the runtime stops or ends";
    default:
      return " fails";
  }
}

/// The finalizer of SplitMix64.
std::uint64_t mixed(std::uint64_t word) noexcept {
  word += 0x9e3779b97f4a7c15U;
  word = (word ^ (word >> 30U)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27U)) * 0x94d049bb133111ebU;
  return word ^ (word >> 31U);
}

}  // namespace

void tally::add(fault_action action, std::size_t rule) {
  const std::lock_guard lock(guard_);
  ++by_rule_[rule];
  switch (action) {
    case fault_action::fail:
      ++counts_.failed;
      break;
    case fault_action::delay:
      ++counts_.delayed;
      break;
    case fault_action::hang:
      ++counts_.hung;
      break;
    case fault_action::corrupt:
      ++counts_.corrupted;
      break;
    case fault_action::lose:
      ++counts_.lost;
      break;
  }
}

fault_counts tally::counts() const {
  const std::lock_guard lock(guard_);
  return counts_;
}

bool tally::has_met(std::size_t rule) const {
  const std::lock_guard lock(guard_);
  return by_rule_[rule] > 0;
}

device_rules::device_rules(const fault_plan& plan, tally& counts, std::string device,
                           bool can_be_lost)
    : plan_(plan), tally_(counts), device_(std::move(device)) {
  for (std::size_t i = 0; i < plan.rules().size(); ++i) {
    const fault_rule& rule = plan.rules()[i];
    const bool possible = can_be_lost || rule.action != fault_action::lose;
    if (possible && (rule.device == "*" || rule.device == device_)) rules_.push_back({i});
  }
}

std::optional<injected_fault> device_rules::next(std::span<const fault_call> calls,
                                                 time_stamp since_connected) {
  const std::lock_guard lock(guard_);
  for (const fault_call call : calls) ++made_[static_cast<std::size_t>(call)];
  for (rule_state& each : rules_) {
    const fault_rule& rule = plan_.rules()[each.number];
    if (!rule.call || std::ranges::find(calls, *rule.call) == calls.end()) continue;
    const std::uint64_t count = made_[static_cast<std::size_t>(*rule.call)];
    if (!meets(each, count, since_connected)) continue;
    each.has_met = true;
    if (rule.action != fault_action::lose) tally_.add(rule.action, each.number);
    return fault_of(each.number, std::string(to_string(*rule.call)) + " " + std::to_string(count));
  }
  return {};
}

bool device_rules::is_first_launch(const kernel_ref& kernel) {
  if (kernel->sources.empty() && kernel->sequence.empty()) return false;
  const std::lock_guard lock(guard_);
  if (launched_.contains(kernel)) return false;
  forget_expired(launched_);
  launched_.emplace(kernel, std::monostate());
  return true;
}

void device_rules::forget(const kernel_ref& kernel) {
  const std::lock_guard lock(guard_);
  launched_.erase(kernel);
}

bool device_rules::meets(rule_state& rule, std::uint64_t count, time_stamp since_connected) {
  const fault_rule& of = plan_.rules()[rule.number];
  if (of.after) return !rule.has_met && since_connected >= *of.after;
  if (of.percent > 0) return draws(of, count);
  return count >= of.first && count <= of.last.value_or(of.first);
}

bool device_rules::draws(const fault_rule& rule, std::uint64_t count) const {
  std::uint64_t word = mixed(plan_.seed());
  for (const char c : to_string(rule) + " of " + device_) {
    word = mixed(word ^ static_cast<unsigned char>(c));
  }
  word = mixed(word ^ count);
  // The upper 53 bits are a number below one.
  return 100 * static_cast<double>(word >> 11U) * 0x1p-53 < rule.percent;
}

injected_fault device_rules::fault_of(std::size_t rule, const std::string& call) const {
  const fault_rule& of = plan_.rules()[rule];
  const std::string text = device_title(device_) + ": " + call + verb_of(of.action) + ", as " +
                           plan_.source() + " says: " + in_quotes(to_string(of)) + ".";
  return {of.action, rule, of.by, failure(code_of(of), text)};
}

std::vector<device_rules::timed_loss> device_rules::timed_losses() const {
  std::vector<timed_loss> all;
  for (const rule_state& each : rules_) {
    const fault_rule& rule = plan_.rules()[each.number];
    if (!rule.call) all.push_back({*rule.after, fault_of(each.number, "the time")});
  }
  return all;
}

}  // namespace hocket::faults
