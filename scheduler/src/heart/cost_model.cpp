// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "heart/cost_model.hpp"

#include <algorithm>
#include <cmath>

namespace hocket::heart {

namespace {

// Enough that a few outliers (a first call, a page fault) never reach the median.
constexpr std::size_t kept_samples = 15;

nanoseconds seconds(double s) {
  return nanoseconds(static_cast<std::int64_t>(std::llround(s * 1e9)));
}

}  // namespace

cost_model::key cost_model::key_of(const request& task, device_id device) {
  const double size = std::max({task.cost.flops, task.cost.bytes, 1.0});
  return {task.kernel->name, device, std::ilogb(size)};
}

nanoseconds cost_model::from_rates(const request& task, device_id device) const {
  const machine::device_node& node = machine_.devices[device.value];
  const double lanes =
      task.width == body_width::wide ? static_cast<double>(node.compute.size()) : 1.0;
  const double busy =
      std::max(task.cost.flops / node.flops_per_second, task.cost.bytes / node.bytes_per_second);
  return node.launch_latency + seconds(busy / lanes);
}

nanoseconds cost_model::predict(const request& task, device_id device) const {
  const auto known = samples_.find(key_of(task, device));
  return known == samples_.end() ? from_rates(task, device) : known->second.median;
}

void cost_model::measured(const request& task, device_id device, nanoseconds took) {
  samples& s = samples_[key_of(task, device)];
  if (s.last.size() < kept_samples) {
    s.last.push_back(took);
  } else {
    s.last[s.next] = took;
    s.next = (s.next + 1) % kept_samples;
  }
  std::vector<nanoseconds> sorted = s.last;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  s.median = *middle;
}

nanoseconds cost_model::copy_time(const machine::link& link, std::uint64_t bytes) {
  return link.latency + seconds(static_cast<double>(bytes) / link.bytes_per_second);
}

}  // namespace hocket::heart
