// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/cost_model.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace hocket::placement {

namespace {

// Shorter launches are so frequent that recording each would cost more than the samples are worth.
constexpr nanoseconds brief = std::chrono::microseconds(10);

/// So many measurements of a kernel are believed whatever they say. The first launch may compile
/// it, or find cold caches; but where rates say nothing, it is better than nothing.
std::size_t believed(const launch_command& task) {
  return task.cost.flops == 0 && task.cost.bytes == 0 ? 1 : 2;
}

/// The value is not negative.
nanoseconds rounded(double count) { return nanoseconds(static_cast<std::int64_t>(count + 0.5)); }

double count(nanoseconds time) { return static_cast<double>(time.count()); }

/// Where rates say nothing, a factor of them is a time.
double at_least_one(nanoseconds by_rates) { return std::max(count(by_rates), 1.0); }

/// True if so many factors of the kernel say more than the rates.
bool is_believed(const kernel_costs& known, std::size_t wanted) {
  return known.factor.count() >= wanted || known.was_kept;
}

/// The mean of launches that were measured; there must be one.
work mean_work(const kernel_costs& of) {
  const auto launches = static_cast<double>(of.launches);
  return {of.done.flops / launches, of.done.bytes / launches};
}

// One may be an outlier, and the first one is.
constexpr std::size_t enough_to_tell = 2;

}  // namespace

cost_model::launch_view cost_model::key_of(const launch_command& task, device_id device) {
  return {task.kernel->name, device, task.cost.size()};
}

launch_speed cost_model::rates_of(std::string_view kernel, bool is_wide, device_id device) const {
  const machine::device_node& node = machine_.devices[device.value];
  const double lanes = is_wide ? static_cast<double>(node.compute.size()) : 1.0;
  return {count(node.launch_latency), 1e9 / (lanes * node.flops_of(kernel)),
          1e9 / (lanes * node.bytes_per_second)};
}

nanoseconds cost_model::launch_by_rates(std::string_view kernel, const work& of, bool is_wide,
                                        device_id device) const {
  if (of.flops == 0 && of.bytes == 0) return machine_.devices[device.value].launch_latency;
  return rounded(rates_of(kernel, is_wide, device).time_of(of));
}

kernel_costs* cost_model::find(const launch_command& task, device_id device) const {
  const auto at = reinterpret_cast<std::uintptr_t>(task.kernel.get()) / alignof(std::max_align_t);
  finding& last = findings_[device.value][(at ^ (at >> 4U)) % max_findings];
  const bool same = last.known != nullptr && last.size == task.cost.size() &&
                    !last.kernel.owner_before(task.kernel) &&
                    !task.kernel.owner_before(last.kernel);
  return same ? last.known : look_up(task, device, last);
}

kernel_costs* cost_model::look_up(const launch_command& task, device_id device,
                                  finding& last) const {
  auto found = launches_.find(key_of(task, device));
  if (found == launches_.end() && kept_ != nullptr && recall(*task.kernel, device)) {
    found = launches_.find(key_of(task, device));
  }
  if (found == launches_.end()) return nullptr;
  last = {task.kernel, task.cost.size(), &found->second};
  return &found->second;
}

bool cost_model::recall(const kernel_definition& kernel, device_id device) const {
  std::set<std::string>& asked = asked_for_[device.value];
  if (asked.contains(kernel.name)) return false;
  asked.insert(kernel.name);
  const std::vector<kept_launch> kept = kept_->of_kernel(kernel, device);
  for (const kept_launch& each : kept) {
    kernel_costs& made = make_entry(kernel, device, each.done.size(), each.is_wide);
    if (!made.factor.empty()) continue;
    const nanoseconds by_rates = launch_by_rates(kernel.name, each.done, each.is_wide, device);
    made.factor.add(count(each.time) / at_least_one(by_rates));
    made.was_kept = true;
  }
  return !kept.empty();
}

std::optional<double> cost_model::factor_of(const launch_command& task, device_id device,
                                            const kernel_costs* known) const {
  if (known != nullptr && is_believed(*known, believed(task))) return known->factor.value();
  const std::optional<double> of_others = factor_of_other_sizes(task, device);
  return known == nullptr ? of_others : std::min(of_others.value_or(1), known->factor.value());
}

time_estimate cost_model::estimate_of(const launch_command& task, device_id device) const {
  kernel_costs* const known = find(task, device);
  const nanoseconds by_rates = launch_by_rates(task, device);
  const std::optional<double> factor = factor_of(task, device, known);
  return {factor ? rounded(*factor * at_least_one(by_rates)) : by_rates, known};
}

launch_speed cost_model::speed_of(const launch_command& task, device_id device) const {
  const launch_speed rates = rates_of(task.kernel->name, task.width == body_width::wide, device);
  const std::optional<double> factor = factor_of(task, device, find(task, device));
  if (!factor) return rates;
  return {*factor * std::max(rates.fixed, 1.0), *factor * rates.for_flop, *factor * rates.for_byte};
}

std::optional<double> cost_model::factor_of_other_sizes(const launch_command& task,
                                                        device_id device) const {
  const launch_view key = key_of(task, device);
  const auto is_of_kernel = [&](const auto& entry) {
    return entry.first.device == device && entry.first.kernel == key.kernel &&
           is_believed(entry.second, believed(task));
  };
  const auto above = launches_.upper_bound(key);
  const bool has_above = above != launches_.end() && is_of_kernel(*above);
  auto below = launches_.lower_bound(key);
  const bool has_below = below != launches_.begin() && is_of_kernel(*--below);
  if (!has_above && !has_below) return std::nullopt;
  const bool takes_above =
      !has_below || (has_above && above->first.size - key.size < key.size - below->first.size);
  return (takes_above ? above : below)->second.factor.value();
}

void cost_model::measured(const launch_command& task, device_id device, nanoseconds took,
                          const time_estimate& before) {
  kernel_costs* known = before.known != nullptr ? before.known : find(task, device);
  if (known == nullptr) {
    known = &make_entry(*task.kernel, device, task.cost.size(), task.width == body_width::wide);
  }
  usual_launch_ += usual_launch_ == nanoseconds{0} ? took : (took - usual_launch_) / 16;
  ++known->launches;
  known->done.flops += task.cost.flops;
  known->done.bytes += task.cost.bytes;
  const double factor = count(took) / at_least_one(launch_by_rates(task, device));
  if (!add(known->factor, factor, took < brief)) return;
  ++launch_changes_;
  ++changes_on_[device.value];
}

kernel_costs& cost_model::make_entry(const kernel_definition& kernel, device_id device, int size,
                                     bool is_wide) const {
  kernel_costs& made = launches_[launch_key{kernel.name, device, size}];
  made.is_wide = is_wide;
  made.runs_on.clear();
  for (const machine::device_node& each : machine_.devices) {
    made.runs_on.push_back(each.runs(kernel));
  }
  return made;
}

void cost_model::add_done(device_prices& to) const {
  for (const auto& entry : launches_) {
    const auto& key = entry.first;
    const kernel_costs& costs = entry.second;
    if (costs.launches == 0) continue;
    launch_command mean;
    kernel_definition named;
    named.name = key.kernel;
    mean.kernel = std::make_shared<const kernel_definition>(std::move(named));
    mean.width = costs.is_wide ? body_width::wide : body_width::serial;
    const auto launches = static_cast<double>(costs.launches);
    mean.cost = mean_work(costs);
    to.add(key.kernel + " " + std::to_string(key.size), [&](std::size_t i) {
      if (!costs.runs_on[i]) return std::numeric_limits<double>::infinity();
      const double lanes =
          costs.is_wide ? static_cast<double>(machine_.devices[i].compute.size()) : 1.0;
      return launches * lanes * count(predict(mean, device_id{i}));
    });
  }
}

bool cost_model::add(recent_median& known, double factor, bool is_frequent) {
  const double before = known.empty() ? 1.0 : known.value();
  if (is_frequent) {
    known.add_some(factor);
  } else {
    known.add(factor);
  }
  // The second one may be the first that is believed.
  return known.count() == 2 || std::abs(known.value() - before) > before / 8;
}

double cost_model::copy_by_rates(memory_id from, memory_id to, std::uint64_t bytes) const {
  const machine::link& link = *machine_.link_between(from, to);
  return count(link.latency) + static_cast<double>(bytes) / link.bytes_per_second * 1e9;
}

nanoseconds cost_model::predict_copy(memory_id from, memory_id to, std::uint64_t bytes) const {
  if (kept_ != nullptr && !asked_for_copies_) recall_copies();
  const stream_id stream = machine_.link_between(from, to)->stream;
  auto& last = copy_predictions_[stream.value].place_of(from, to, bytes);
  if (last.bytes != bytes || last.from != from || last.to != to) {
    const double by_rates = copy_by_rates(from, to, bytes);
    const auto known = copies_.find({from, to, size_class(static_cast<double>(bytes))});
    const double factor = known == copies_.end() ? 1 : known->second.factor.value();
    last = {from, to, bytes, rounded(by_rates * factor)};
  }
  return last.time;
}

void cost_model::recall_copies() const {
  asked_for_copies_ = true;
  for (const kept_copy& each : kept_->of_copies()) {
    if (!machine_.link_between(each.from, each.to)) continue;
    const double by_rates = copy_by_rates(each.from, each.to, each.bytes);
    if (by_rates <= 0) continue;  // a modelled link without a cost
    const copy_key key{each.from, each.to, size_class(static_cast<double>(each.bytes))};
    const auto [made, is_new] = copies_.try_emplace(key);
    if (!is_new) continue;
    made->second.factor.add(count(each.time) / by_rates);
    made->second.was_kept = true;
  }
}

void cost_model::measured_copy(memory_id from, memory_id to, std::uint64_t bytes,
                               nanoseconds took) {
  usual_copy_ += usual_copy_ == nanoseconds{0} ? took : (took - usual_copy_) / 8;
  const double by_rates = copy_by_rates(from, to, bytes);
  if (by_rates <= 0) return;  // a modelled link without a cost
  link_costs& known = copies_[{from, to, size_class(static_cast<double>(bytes))}];
  if (add(known.factor, count(took) / by_rates, false)) ++copy_changes_;
  copy_predictions_[machine_.link_between(from, to)->stream.value] = {};
}

measured_costs cost_model::learned() const {
  measured_costs made;
  for (const auto& [key, costs] : launches_) {
    if (costs.launches < enough_to_tell) continue;
    const work mean = mean_work(costs);
    const nanoseconds by_rates = launch_by_rates(key.kernel, mean, costs.is_wide, key.device);
    const nanoseconds time = rounded(costs.factor.value() * at_least_one(by_rates));
    made.launches.push_back({key.kernel, key.device, {mean, costs.is_wide, time}});
  }
  for (const auto& [key, costs] : copies_) {
    if (costs.factor.count() < enough_to_tell + (costs.was_kept ? 1 : 0)) continue;
    const auto bytes = static_cast<std::uint64_t>(std::ldexp(1.0, key.size));
    const double by_rates = copy_by_rates(key.from, key.to, bytes);
    made.copies.push_back({key.from, key.to, bytes, rounded(costs.factor.value() * by_rates)});
  }
  return made;
}

}  // namespace hocket::placement
