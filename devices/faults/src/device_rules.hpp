// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <hocket/core/error.hpp>
#include <hocket/devices/fault_plan.hpp>
#include <hocket/devices/launch_plan.hpp>

namespace hocket::faults {

/// How many faults were injected, in all and by each rule. Any thread.
class tally {
 public:
  explicit tally(std::size_t rules) : by_rule_(rules) {}

  void add(fault_action action, std::size_t rule);
  [[nodiscard]] fault_counts counts() const;
  [[nodiscard]] bool has_met(std::size_t rule) const;

 private:
  mutable std::mutex guard_;  // for what follows
  fault_counts counts_;
  std::vector<std::uint64_t> by_rule_;
};

/// The effect of a rule on one call.
struct injected_fault {
  fault_action action = fault_action::fail;
  std::size_t rule = 0;  ///< in the plan
  nanoseconds by{0};
  failure why;  ///< of a call that fails, a command that hangs, and a device that is lost
};

/// The rules of a plan for one device, and how often each call was made. Any thread.
class device_rules {
 public:
  /// The plan and the tally outlive this.
  device_rules(const fault_plan& plan, tally& counts, std::string device, bool can_be_lost);

  /// The device does all of these with one call. Returns what the first rule does that is met; the
  /// fault is counted, unless it is the loss of the device.
  [[nodiscard]] std::optional<injected_fault> next(std::span<const fault_call> calls,
                                                   time_stamp since_connected);

  /// True if the device would have to compile the kernel, which it was not asked for yet.
  [[nodiscard]] bool is_first_launch(const kernel_ref& kernel);
  /// The kernel was not compiled.
  void forget(const kernel_ref& kernel);

  struct timed_loss {
    nanoseconds after;
    injected_fault fault;
  };
  [[nodiscard]] std::vector<timed_loss> timed_losses() const;

 private:
  struct rule_state {
    std::size_t number;  ///< in the plan
    bool has_met = false;
  };

  [[nodiscard]] bool meets(rule_state& rule, std::uint64_t count, time_stamp since_connected);
  [[nodiscard]] bool draws(const fault_rule& rule, std::uint64_t count) const;
  [[nodiscard]] injected_fault fault_of(std::size_t rule, const std::string& call) const;

  const fault_plan& plan_;
  tally& tally_;
  const std::string device_;
  std::mutex guard_;  // for what follows
  std::vector<rule_state> rules_;
  std::array<std::uint64_t, 7> made_{};  ///< by call
  by_kernel<std::monostate> launched_;
};

}  // namespace hocket::faults
