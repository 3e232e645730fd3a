// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "placement/task_duplicates.hpp"

namespace hocket::placement {

/// Looks for launches that take much longer than predicted, and asks for duplicates of them and of
/// those behind them in their lane. As long as a launch is late, its lane counts as busy for
/// several times as long, so that other tasks are placed elsewhere.
class straggler_watch {
 public:
  straggler_watch(engine_state& state, device_roster& roster, task_duplicates& duplicates);

  /// At the end of each step.
  void look_later() {
    if (s_.duplicates.is_on() && !is_awaited_) await();
  }
  void time_passed();

 private:
  /// The oldest command of a lane, since it was found there, ready to run.
  struct oldest {
    stream_id stream;
    device_id device;
    std::uint64_t value = 0;
    time_stamp since{};
    nanoseconds planned{0};  ///< that it had taken when others were planned anew; 0: it is not late
  };

  void await();
  /// Returns whether time alone may make a difference.
  [[nodiscard]] bool look_at(oldest& seen);
  [[nodiscard]] std::optional<nanoseconds> predicted_of(const command_record& c,
                                                        device_id device) const;
  [[nodiscard]] bool ask_for_duplicates(const oldest& seen, nanoseconds used);
  void place_elsewhere(device_id device);

  engine_state& s_;
  device_roster& roster_;
  task_duplicates& duplicates_;
  std::vector<oldest> seen_;  ///< of each lane
  bool is_awaited_ = false;
  bool is_settled_ = false;  ///< before the next event a look would find the same
};

}  // namespace hocket::placement
