// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <optional>

#include <boost/container/small_vector.hpp>

#include "placement/device_chooser.hpp"

namespace hocket::placement {

/// Plans the tasks that could start anew in each round, by upward rank, and commits those for which
/// a device has room: two for each lane, and as many as keep it busy while some buffers move. The
/// others only take their time on the device where they are planned. A task goes where a sum is
/// least: its planned end, a price for what has to be moved for it over busy links, what its
/// buffers would lose by staying there, and what the device is worth to other work.
class replanning final : public device_chooser {
 public:
  [[nodiscard]] bool plans_ahead() const noexcept override { return true; }
  [[nodiscard]] std::optional<device_id> choose(const placed_task& t,
                                                const device_view& devices) override;
  [[nodiscard]] bool begin_round(const device_view& devices, bool has_news) override;
  [[nodiscard]] std::optional<placement_decision> decide(const placed_task& t,
                                                         const device_view& devices) override;
  [[nodiscard]] bool ends_round() const noexcept override { return rooms_ == 0; }

 private:
  struct candidate {
    device_id device;
    double score = 0;     ///< in nanoseconds
    nanoseconds end{0};   ///< planned, from now on
    nanoseconds time{0};  ///< that the task runs
  };
  struct plan_of_device {
    nanoseconds free_at{0};  ///< from now on
    std::size_t room = 0;    ///< for tasks that are committed
    double weight_of_moving = 0;
  };
  using plans = boost::container::small_vector<plan_of_device, 8>;

  [[nodiscard]] static plans begin_plans(const device_view& devices);
  [[nodiscard]] static std::optional<candidate> best_of(const placed_task& t,
                                                        const device_view& devices,
                                                        const plans& all);

  plans devices_;          ///< in the last round
  std::size_t rooms_ = 0;  ///< of all devices
};

}  // namespace hocket::placement
