// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "heart/cost_model.hpp"

#include <algorithm>
#include <cmath>

namespace hocket::heart {

namespace {

nanoseconds rounded(double count) {
  return nanoseconds(static_cast<std::int64_t>(std::llround(count)));
}

double count(nanoseconds time) { return static_cast<double>(time.count()); }

int size_class(double amount) { return std::ilogb(std::max(amount, 1.0)); }

}  // namespace

cost_model::launch_view cost_model::key_of(const request& task, device_id device) {
  return {task.kernel->name, device, size_class(std::max(task.cost.flops, task.cost.bytes))};
}

nanoseconds cost_model::launch_by_rates(const request& task, device_id device) const {
  const machine::device_node& node = machine_.devices[device.value];
  const double lanes =
      task.width == body_width::wide ? static_cast<double>(node.compute.size()) : 1.0;
  const double busy =
      std::max(task.cost.flops / node.flops_per_second, task.cost.bytes / node.bytes_per_second);
  return node.launch_latency + rounded(busy / lanes * 1e9);
}

nanoseconds cost_model::predict(const request& task, device_id device) const {
  const auto known = launches_.find(key_of(task, device));
  return known == launches_.end() ? launch_by_rates(task, device) : rounded(known->second.value());
}

void cost_model::measured(const request& task, device_id device, nanoseconds took) {
  const launch_view key = key_of(task, device);
  auto known = launches_.find(key);
  if (known == launches_.end()) {
    known = launches_
                .emplace(launch_key{std::string(key.kernel), key.device, key.size}, recent_median())
                .first;
  }
  known->second.add(count(took));
}

double cost_model::copy_by_rates(memory_id from, memory_id to, std::uint64_t bytes) const {
  const machine::link& link = *machine_.link_between(from, to);
  return count(link.latency) + static_cast<double>(bytes) / link.bytes_per_second * 1e9;
}

nanoseconds cost_model::predict_copy(memory_id from, memory_id to, std::uint64_t bytes) const {
  const double by_rates = copy_by_rates(from, to, bytes);
  const auto known = copies_.find({from, to, size_class(static_cast<double>(bytes))});
  return rounded(known == copies_.end() ? by_rates : by_rates * known->second.value());
}

void cost_model::measured_copy(memory_id from, memory_id to, std::uint64_t bytes,
                               nanoseconds took) {
  const double by_rates = copy_by_rates(from, to, bytes);
  if (by_rates <= 0) return;  // a modelled link without a cost
  copies_[{from, to, size_class(static_cast<double>(bytes))}].add(count(took) / by_rates);
}

}  // namespace hocket::heart
