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
         why.code() == failure_code::compile_failed;
}

bool retry_table::failed(task_id task, device_id device, const failure& why) {
  std::size_t& on_device = tasks_[task][device];
  ++on_device;
  const std::size_t all = failures(task);
  if (why.code() == failure_code::compile_failed) on_device = max_failures;
  return all < max_attempts_;
}

std::size_t retry_table::failures(task_id task) const {
  const auto found = tasks_.find(task);
  if (found == tasks_.end()) return 0;
  std::size_t sum = 0;
  for (const auto& [device, count] : found->second) sum += count;
  return sum;
}

bool retry_table::avoids(task_id task, device_id device) const {
  const auto found = tasks_.find(task);
  if (found == tasks_.end()) return false;
  const auto on_device = found->second.find(device);
  return on_device != found->second.end() && on_device->second >= max_failures;
}

}  // namespace hocket::placement
