// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "placement/device_chooser.hpp"
#include "placement/device_plans.hpp"
#include "placement/kept_schedule.hpp"

namespace hocket::placement {

/// Plans the tasks that could start anew in each round, by upward rank, and commits those for which
/// a device has room: two for each lane, and as many as keep it busy while some buffers move, more
/// where its links are busy. The others only take their time on the device where they are planned.
/// A task goes where a sum is least: its planned end, a price for what has to be moved for it over
/// busy links, what its buffers would lose by staying there, and what the device is worth to other
/// work. Devices that have data of the task are looked at first, each kind in the order in which
/// they are free, until none that follows could be better. A task keeps its plan from round to
/// round while the device where it is planned has no room.
class replanning final : public device_chooser {
 public:
  [[nodiscard]] bool plans_ahead() const noexcept override { return true; }
  [[nodiscard]] std::optional<device_id> choose(const placed_task& t,
                                                const device_view& devices) override;
  [[nodiscard]] bool begin_round(const device_view& devices, const round_news& news) override;
  [[nodiscard]] std::optional<placement_decision> decide(const placed_task& t,
                                                         const device_view& devices) override;
  [[nodiscard]] bool ends_round() const noexcept override { return plans_.rooms() == 0; }
  [[nodiscard]] bool repeats_schedules() const noexcept override { return true; }
  void vary(std::size_t variant) noexcept override;
  void explain(const placed_task& t, const device_view& devices, bool in_round,
               std::span<traced_candidate> candidates) const override;

 private:
  struct candidate {
    device_id device;
    double score = 0;     ///< in nanoseconds
    nanoseconds end{0};   ///< planned, from now on
    nanoseconds time{0};  ///< that the task runs
  };
  /// The plan of a task that stayed open.
  struct earlier_plan {
    std::uint64_t age = 0;  ///< of the task
    std::uint64_t since = 0;
    std::size_t place = 0;  ///< in the order of its round
    device_id device;
    nanoseconds takes{0};  ///< from all lanes of the device
  };

  struct common_terms;
  /// Terms that are added up for one device, in nanoseconds.
  struct terms {
    nanoseconds end{0};
    double links = 0;
    double staying = 0;
    double price = 0;

    [[nodiscard]] double sum() const {
      return static_cast<double>(end.count()) + links + staying + price;
    }
  };

  /// Times the terms of a sum.
  struct weights {
    double moving;  ///< times the load of the links
    double staying;
    double price;
  };
  static const std::array<weights, kept_schedule::runs_to_compare> variants;

  [[nodiscard]] static terms terms_of(device_id device, const common_terms& common,
                                      const device_plans& plans);
  class search;
  [[nodiscard]] static std::optional<candidate> best_of(const placed_task& t,
                                                        const device_view& devices,
                                                        const device_plans& plans,
                                                        const weights& given, device_id guess);
  [[nodiscard]] const earlier_plan* find_earlier(const placed_task& t) const;
  [[nodiscard]] device_id last_device(const placed_task& t) const;
  void put_off(device_id device, nanoseconds takes, const device_view& devices);

  const weights* weights_ = variants.data();
  device_plans plans_;                 ///< of the last round
  std::vector<earlier_plan> earlier_;  ///< by the number of the task in the table of costs
  std::uint64_t valid_since_ = 1;      ///< earlier plans count that were made since then
  std::size_t rounds_ = 0;
  bool lacks_task_ = false;   ///< when the last round ended, a device had room that is useful
  std::size_t place_ = 0;     ///< of the next task in this round
  device_plans plan_of_one_;  ///< of the last choice apart from rounds
};

}  // namespace hocket::placement
