// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <hocket/scheduler/placement_policy.hpp>

#include "placement/device_view.hpp"

namespace hocket::placement {

/// Where a task is to run, if nothing changes.
struct placement_decision {
  device_id device;
  /// False: the task stays open, and is asked for again in the next round.
  bool is_final = true;
};

/// Changes since the last round, beside the room of devices.
struct round_news {
  bool tasks = false;      ///< there are new ones
  bool estimates = false;  ///< predictions are others, or a device was lost

  [[nodiscard]] bool any() const noexcept { return tasks || estimates; }
};

/// Decides on which device a task runs, where it may run on several: a placement_policy, and its
/// rounds. Tasks that could start are asked for in rounds, by upward rank; a round comes when there
/// is a new one or a device gets room. The same questions in the same order get the same answers.
class device_chooser {
 public:
  device_chooser() = default;
  device_chooser(const device_chooser&) = delete;
  device_chooser& operator=(const device_chooser&) = delete;
  virtual ~device_chooser() = default;

  /// True if tasks are to stay open until a device has room for them. Otherwise the first answer
  /// is final, and comes when the task could start.
  [[nodiscard]] virtual bool plans_ahead() const noexcept { return false; }
  /// The device that is best for the task as things stand; none if no device can run it.
  [[nodiscard]] virtual std::optional<device_id> choose(const placed_task& t,
                                                        const device_view& devices) = 0;

  /// A round begins, because a device may have room or because there is news. Returns false if
  /// nothing would become final in it.
  [[nodiscard]] virtual bool begin_round(const device_view& /*devices*/,
                                         const round_news& /*news*/) {
    return true;
  }
  /// One of the devices that can run the task; none if there is none.
  [[nodiscard]] virtual std::optional<placement_decision> decide(const placed_task& t,
                                                                 const device_view& devices) {
    const std::optional<device_id> chosen = choose(t, devices);
    return chosen ? std::optional(placement_decision{*chosen}) : std::nullopt;
  }
  /// Adds to the candidates, which are all devices that can run the task, what the policy compares
  /// beside their ends. Called if decisions are traced: in a round before the policy is asked, else
  /// when it has chosen.
  virtual void explain(const placed_task& /*t*/, const device_view& /*devices*/, bool /*in_round*/,
                       std::span<traced_candidate> /*candidates*/) const {}
  /// True if nothing more can become final in this round.
  [[nodiscard]] virtual bool ends_round() const noexcept { return false; }

  /// True if runs of a recorded graph may repeat the schedule of an earlier one.
  [[nodiscard]] virtual bool repeats_schedules() const noexcept { return false; }
  /// Plans a little differently from now on, the same for the same number; 0 is as usual.
  virtual void vary(std::size_t /*variant*/) noexcept {}

  /// True if devices that stand idle should look at the queues of others.
  [[nodiscard]] virtual bool steals() const noexcept { return false; }
  /// True if the idle device, which can run the task, should take it from the queue where it is.
  [[nodiscard]] virtual bool should_steal(const placed_task& /*t*/, device_id /*idle*/,
                                          const device_view& /*devices*/) {
    return false;
  }
};

/// Asks the policy with this name; the usual one for an empty name. Throws usage_error, which says
/// that source has the name.
[[nodiscard]] std::unique_ptr<device_chooser> make_chooser(std::string_view name,
                                                           std::string_view source);

/// Asks this policy.
[[nodiscard]] std::unique_ptr<device_chooser> make_chooser(std::shared_ptr<placement_policy> own);

}  // namespace hocket::placement
