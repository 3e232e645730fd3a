// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <hocket/core/error.hpp>
#include <hocket/core/ids.hpp>

namespace hocket::placement {

/// How often tasks have failed for a reason of their device, and on which ones.
class retry_table {
 public:
  /// max_attempts: a task is run so often at most.
  retry_table(std::size_t max_attempts, std::size_t streams)
      : max_attempts_(max_attempts), in_a_row_(streams) {}

  /// True for a failure that may not come again, or not elsewhere. What a body throws does.
  [[nodiscard]] static bool may_pass(const failure& why) noexcept;

  /// The task has failed there. Returns whether it may be run again.
  bool failed(task_id task, device_id device, const failure& why);
  /// How often it has failed.
  [[nodiscard]] std::size_t failures(task_id task) const;
  /// True if the task is to run elsewhere, if it can: it has failed there twice, or its kernel
  /// cannot be compiled there.
  [[nodiscard]] bool avoids(task_id task, device_id device) const;
  void forget(task_id task) {
    if (!tasks_.empty()) tasks_.erase(task);
  }

  /// A command of the stream has failed. Returns true if so many have in a row that its device is
  /// not worth more attempts.
  bool command_failed(stream_id stream) { return ++in_a_row_[stream.value] == max_in_a_row; }
  void command_succeeded(stream_id stream) noexcept { in_a_row_[stream.value] = 0; }

 private:
  static constexpr std::uint32_t max_in_a_row = 8;

  const std::size_t max_attempts_;
  std::map<task_id, std::map<device_id, std::size_t>> tasks_;  ///< failures on each device
  std::vector<std::uint32_t> in_a_row_;                        ///< commands of a stream that failed
};

}  // namespace hocket::placement
