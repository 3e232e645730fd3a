// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

#include "placement/engine_state.hpp"

namespace hocket::placement {

class device_queues;
class kernel_preparations;

/// The tasks that could start and have no device yet, by priority, upward rank and age. The upward
/// rank of a task is how long the longest chain of tasks from it on takes, in the mean of the
/// devices.
class ready_pool {
 public:
  ready_pool(engine_state& state, device_queues& queues, kernel_preparations& preparations)
      : s_(state), queues_(queues), preparations_(preparations) {}

  /// The task could start now.
  void add(placed_task& t);
  /// The task ends otherwise.
  void remove(placed_task& t);
  /// Removes all, in their order.
  [[nodiscard]] std::vector<placed_task*> take_all();
  /// A device may have room.
  void look_again() noexcept {
    has_changed_ = !tasks_.empty();
    not_reached_.reset();
  }
  [[nodiscard]] bool is_empty() const noexcept { return tasks_.empty(); }
  [[nodiscard]] bool wants_round() const noexcept { return has_changed_; }
  /// Asks the policy for devices, and queues tasks there.
  void hold_round();

 private:
  /// A round leaves no more than so many tasks open. More find no better device.
  static constexpr std::size_t most_asked = 64;
  /// It leaves fewer open where tasks are so short that the host could not plan as fast as devices
  /// are done, but so many.
  static constexpr std::size_t least_asked = 8;

  [[nodiscard]] static place_in_queue place_of(placed_task& t);
  [[nodiscard]] std::size_t window() const;
  /// True if a device stands idle for which a task may be found among those that come next.
  [[nodiscard]] bool should_ask_more();
  void rank_again();
  void end_without_device(placed_task& t);
  /// The time of a task on the devices that can run it, in nanoseconds.
  struct pending_time {
    float mean = 0, least = 0;
  };
  [[nodiscard]] pending_time count_as_pending(const placed_task& t);

  engine_state& s_;
  device_queues& queues_;
  kernel_preparations& preparations_;
  std::set<place_in_queue> tasks_;
  std::uint64_t ranked_ = 0;        ///< tasks that had come or gone when they were ranked last
  std::size_t idle_in_vain_ = 0;    ///< devices that were idle when no task was found for them
  std::size_t rounds_in_vain_ = 0;  ///< since more tasks were asked for because of these
  bool has_changed_ = false;
  round_news news_;  ///< since the last round
  /// The first task that the last round did not come to, where devices had room when it ended.
  std::optional<place_in_queue> not_reached_;
  std::uint64_t estimates_ = 0;   ///< the last cost_model::changes that was seen
  std::size_t seen_changes_ = 0;  ///< the last engine_state::changes that was seen
};

}  // namespace hocket::placement
