// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <hocket/core/error.hpp>
#include <hocket/core/function_ref.hpp>
#include <hocket/core/ids.hpp>

namespace hocket::placement {

/// How often tasks have failed in a row for a reason of their device, and on which ones.
class retry_table {
 public:
  /// max_attempts: a task is run so often at most.
  retry_table(std::size_t max_attempts, std::size_t streams)
      : max_attempts_(max_attempts), in_a_row_(streams) {}

  [[nodiscard]] std::size_t max_attempts() const noexcept { return max_attempts_; }
  /// True for a failure that may not come again, or not elsewhere. What a body throws does.
  [[nodiscard]] static bool may_pass(const failure& why) noexcept;

  /// Stands for what no task of the user has asked for: copies and restored content of a buffer.
  [[nodiscard]] static task_id of_buffer(data_id data) noexcept {
    return task_id{data.value | first_of_buffers};
  }

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

  /// Forgets tasks for which is_gone(task).
  void forget_if(function_ref<bool(task_id)> is_gone) {
    std::erase_if(tasks_, [&](const auto& each) {
      return each.first.value < first_of_buffers && is_gone(each.first);
    });
  }

  /// A command of the stream has failed. what: its kernel; null for a copy. Returns true if so many
  /// have in a row, and not all the same kernel, that its device is not worth more attempts.
  bool command_failed(stream_id stream, const void* what);
  void command_succeeded(stream_id stream) noexcept { in_a_row_[stream.value] = {}; }

 private:
  static constexpr std::uint64_t first_of_buffers = std::uint64_t{1} << 63U;
  struct failures_on {
    std::size_t count = 0;
    bool cannot_compile = false;
  };
  /// Commands of a stream that have failed since one succeeded.
  struct failed_commands {
    std::uint32_t count = 0;
    const void* first = nullptr;  ///< what the first one was
    bool are_different = false;
  };
  static constexpr std::uint32_t max_in_a_row = 8;

  const std::size_t max_attempts_;
  std::map<task_id, std::map<device_id, failures_on>> tasks_;
  std::vector<failed_commands> in_a_row_;  ///< of each stream
};

}  // namespace hocket::placement
