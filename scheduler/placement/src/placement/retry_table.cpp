// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/retry_table.hpp"

namespace hocket::placement {

namespace {

// On one device.
constexpr std::size_t max_failures = 2;

}  // namespace

bool retry_table::may_pass(const failure& why) noexcept {
  if (!why || why.thrown()) return false;
  return why.code() == failure_code::task_failed || why.code() == failure_code::out_of_memory ||
         why.code() == failure_code::compile_failed || why.code() == failure_code::data_corrupted;
}

bool retry_table::failed(task_id task, device_id device, const failure& why) {
  failures_on& there = tasks_[task][device];
  ++there.count;
  if (why.code() == failure_code::compile_failed) there.cannot_compile = true;
  return failures(task) < max_attempts_;
}

std::size_t retry_table::failures(task_id task) const {
  const auto found = tasks_.find(task);
  if (found == tasks_.end()) return 0;
  std::size_t sum = 0;
  for (const auto& [device, there] : found->second) sum += there.count;
  return sum;
}

bool retry_table::avoids(task_id task, device_id device) const {
  const auto found = tasks_.find(task);
  if (found == tasks_.end()) return false;
  const auto there = found->second.find(device);
  if (there == found->second.end()) return false;
  return there->second.cannot_compile || there->second.count >= max_failures;
}

bool retry_table::command_failed(stream_id stream, const void* what) {
  failed_commands& row = in_a_row_[stream.value];
  if (row.count == 0) row.first = what;
  // No kernel is to blame for a copy.
  if (what != row.first || what == nullptr) row.are_different = true;
  ++row.count;
  return row.count >= max_in_a_row && row.are_different;
}

}  // namespace hocket::placement
