// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <hocket/scheduler/placement_policy.hpp>

#include "placement/device_chooser.hpp"

namespace hocket::placement {

/// Asks a placement_policy, in the terms of the public interface.
class policy_chooser final : public device_chooser {
 public:
  explicit policy_chooser(std::shared_ptr<placement_policy> asked)
      : policy_(std::move(asked)), moment_(policy_->moment()), steals_(policy_->moves_tasks()) {}

  [[nodiscard]] bool plans_ahead() const noexcept override {
    return moment_ != placement_moment::when_ready;
  }
  [[nodiscard]] std::optional<device_id> choose(const placed_task& t,
                                                const device_view& devices) override;
  [[nodiscard]] bool begin_round(const device_view& devices, const round_news& news) override;
  [[nodiscard]] std::optional<placement_decision> decide(const placed_task& t,
                                                         const device_view& devices) override;
  [[nodiscard]] bool steals() const noexcept override { return steals_; }
  [[nodiscard]] bool should_steal(const placed_task& t, device_id idle,
                                  const device_view& devices) override;

 private:
  /// Valid until the next call.
  [[nodiscard]] placement_task describe(const placed_task& t, const device_view& devices);
  /// Likewise, with options on two devices alone: there may be very many, and devices that stand
  /// idle ask for many tasks.
  [[nodiscard]] placement_task describe(const placed_task& t, device_id one, device_id other,
                                        const device_view& devices);
  void add_option(const task_costs& costs, device_id device, const device_view& devices);
  [[nodiscard]] placement_task task_with_options(const placed_task& t);
  /// Null if the task cannot run there.
  [[nodiscard]] const placement_option* option_at(device_id device) const;
  [[nodiscard]] std::size_t ask(const placement_task& task);
  void complain(const std::string& why);

  std::shared_ptr<placement_policy> policy_;
  placement_moment moment_;
  bool steals_;
  bool has_complained_ = false;
  std::vector<placement_option> options_;   ///< of the task that was described last
  std::vector<placement_access> accesses_;  ///< likewise
};

}  // namespace hocket::placement
