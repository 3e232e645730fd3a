// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/fault_injector.hpp>

#include <algorithm>
#include <utility>

#include <hocket/core/error.hpp>
#include <hocket/core/printable.hpp>

#include "fault_device.hpp"
#include "hub.hpp"

namespace hocket {

namespace {

std::string quoted(const fault_rule& rule) { return in_quotes(to_string(rule)); }

bool is_copy(const std::optional<fault_call>& call) {
  return call == fault_call::copy || call == fault_call::copy_in || call == fault_call::copy_out;
}

bool names(const fault_rule& rule, const std::string& device) {
  return rule.device == "*" || rule.device == device;
}

std::string names_of(const candidate_list& devices) {
  std::string text;
  for (const auto& each : devices) text += (text.empty() ? "" : ", ") + each->info().name;
  return text;
}

void check_devices(const fault_plan& plan, const candidate_list& devices) {
  const auto refuse = [&](const fault_rule& rule, const std::string& why) {
    throw usage_error(plan.source() + " has the rule " + quoted(rule) + "; " + why);
  };
  for (const fault_rule& rule : plan.rules()) {
    const auto named = [&](const auto& each) { return names(rule, each->info().name); };
    if (std::ranges::none_of(devices, named)) {
      refuse(rule,
             "there is no device " + in_quotes(rule.device) + ", but: " + names_of(devices) + ".");
    }
    const auto can_be_met = [&](const auto& each) {
      return named(each) && (rule.action != fault_action::lose || each->info().can_be_lost);
    };
    if (std::ranges::none_of(devices, can_be_met)) {
      refuse(rule, "the program runs on " + (rule.device == "*" ? names_of(devices) : rule.device) +
                       " itself, which cannot be lost.");
    }
  }
}

/// A copy between the memories of two devices, which the host cannot reach, goes over the host
/// instead if it may have to be corrupted.
device_info with_faults(const fault_plan& plan, device_info info) {
  const bool corrupts = std::ranges::any_of(plan.rules(), [&](const fault_rule& rule) {
    return names(rule, info.name) && rule.action == fault_action::corrupt && is_copy(rule.call);
  });
  if (corrupts && std::ranges::find(info.formats, kernel_format::host) == info.formats.end()) {
    info.peer_copies = false;
  }
  return info;
}

}  // namespace

fault_injector::fault_injector(fault_plan plan)
    : hub_(std::make_shared<faults::hub>(std::move(plan))) {}

fault_injector::~fault_injector() = default;

const fault_plan& fault_injector::plan() const noexcept { return hub_->plan(); }

candidate_list fault_injector::decorate(candidate_list devices) {
  check_devices(plan(), devices);
  candidate_list decorated;
  for (auto& each : devices) {
    device_info info = with_faults(plan(), each->info());
    decorated.push_back(std::make_unique<device_candidate>(
        info,
        [home = hub_, info, of = std::shared_ptr<const device_candidate>(std::move(each))](
            const device_numbers& numbers, executor& where,
            completion_sink& sink) -> result<std::unique_ptr<device>> {
          auto made = std::make_unique<faults::fault_device>(home, info, where, sink);
          auto inner = of->connect(numbers, where, made->sink());
          if (!inner) return inner.error();
          made->open(std::move(inner).value());
          return std::unique_ptr<device>(std::move(made));
        }));
  }
  return decorated;
}

void fault_injector::check(const std::string& device, memory_use use) const {
  for (const fault_rule& rule : plan().rules()) {
    if (rule.device != device) continue;
    const bool copies = is_copy(rule.call) && !use.has_copies;
    const bool allocates = rule.call == fault_call::allocation && !use.allocates;
    if (!copies && !allocates) continue;
    throw usage_error(plan().source() + " has the rule " + quoted(rule) + "; " + device +
                      " uses the host's memory in place, and has no " +
                      (copies ? "copies." : "allocations."));
  }
}

void fault_injector::release_hangs() { hub_->release_hangs(); }

fault_counts fault_injector::counts() const { return hub_->counts().counts(); }

std::vector<std::string> fault_injector::unmet() const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < plan().rules().size(); ++i) {
    if (hub_->counts().has_met(i)) continue;
    all.push_back("The rule " + quoted(plan().rules()[i]) + " was met by no call.");
  }
  return all;
}

}  // namespace hocket
