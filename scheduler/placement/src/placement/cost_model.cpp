// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/cost_model.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "placement/time_counts.hpp"

namespace hocket::placement {

namespace {

// Shorter launches are so frequent that recording each would cost more than the samples are worth.
constexpr nanoseconds brief = std::chrono::microseconds(10);

/// So many measurements of a kernel are believed whatever they say. The first launch may compile
/// it, or find cold caches; but where rates say nothing, it is better than nothing.
std::size_t believed(const launch_command& task) {
  return task.cost.flops == 0 && task.cost.bytes == 0 ? 1 : 2;
}

/// A trial may cost this part of what was measured of the kernel since the last launch there.
constexpr int part_for_trials = 128;

/// A device that is used now and then needs no trial.
constexpr nanoseconds unused = std::chrono::seconds(1);

/// A device that is tried gets so many tasks before the first of them has ended.
constexpr int tasks_of_trial = 3;

/// Nothing runs for so long that a trial of that price would come.
constexpr nanoseconds longest_price = std::chrono::hours(24);

/// So many launches of a kernel on a device may be unlike later ones.
constexpr std::uint64_t first_launches = 3;

/// Kernels that a device has not run in this process may have to be compiled, and first launches
/// may take as long as the longest that there was.
constexpr nanoseconds least_first_launch = std::chrono::milliseconds(30);

/// A device that is tried is predicted to take so much of the time of the fastest.
constexpr double tried_share = 0.75;

/// Where rates say nothing, a factor of them is a time.
double at_least_one(nanoseconds by_rates) { return std::max(count(by_rates), 1.0); }

/// True if so many factors of the kernel say more than the rates.
bool is_believed(const kernel_costs& known, std::size_t wanted) {
  return known.factor.count() >= wanted || known.was_kept;
}

/// The mean of launches that were measured; there must be one.
launch_work mean_work(const kernel_costs& of) {
  const auto launches = static_cast<double>(of.launches);
  return {of.done.flops / launches, of.done.bytes / launches};
}

}  // namespace

cost_model::launch_view cost_model::key_of(const launch_command& task, device_id device) {
  return {task.kernel->name, device, task.cost.size()};
}

launch_speed cost_model::rates_of(std::string_view kernel, bool is_wide, device_id device) const {
  const machine::device_node& node = machine_.devices[device.value];
  const double lanes = is_wide ? static_cast<double>(node.compute.size()) : 1.0;
  // Without a limit, no work at all would take no number of nanoseconds.
  constexpr double most = 1e100;
  return {count(node.launch_latency), std::min(1e9 / (lanes * node.flops_of(kernel)), most),
          std::min(1e9 / (lanes * node.bytes_per_second), most)};
}

nanoseconds cost_model::launch_by_rates(std::string_view kernel, const launch_work& of,
                                        bool is_wide, device_id device) const {
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
  if (known != nullptr && known->tried_factor > 0) return known->tried_factor;
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

double cost_model::lanes_of(const launch_command& task, device_id device) const {
  const bool is_wide = task.width == body_width::wide;
  return is_wide ? static_cast<double>(machine_.devices[device.value].compute.size()) : 1.0;
}

void cost_model::measured(const launch_command& task, device_id device, nanoseconds took,
                          const time_estimate& before) {
  took = std::min(took, longest_sum);
  kernel_costs* known = before.known != nullptr ? before.known : find(task, device);
  if (known == nullptr) {
    known = &make_entry(*task.kernel, device, task.cost.size(), task.width == body_width::wide);
  }
  usual_launch_ += usual_launch_ == nanoseconds{0} ? took : (took - usual_launch_) / 16;
  ++known->launches;
  known->done.flops += task.cost.flops;
  known->done.bytes += task.cost.bytes;
  known->lane_time += count(took) * lanes_of(task, device);
  const double factor = count(took) / at_least_one(launch_by_rates(task, device));
  kernel_total& total = *known->total;
  // A launch that takes long by accident says little about what trials may cost.
  total.busy = limited_sum(total.busy,
                           before.time > nanoseconds{0} ? std::min(took, 2 * before.time) : took);
  total.longest = std::max(total.longest, took);
  known->busy_then = total.busy;
  const bool was_tried = known->tried_factor > 0;
  const bool has_changed = known->factor.changes_by(factor, took < brief && !was_tried);
  if (was_tried) end_trial(*known, factor);
  if (has_changed || was_tried) note_change_on(device);
  if (has_changed || was_tried || known->launches == first_launches) total.look_soon();
  if (total.busy >= total.next_look) look_for_trial(task, total);
}

/// Finds a device of which it is time to know whether it is still as slow as it was.
void cost_model::look_for_trial(const launch_command& task, kernel_total& total) {
  std::vector<device_id> able;
  nanoseconds best = nanoseconds::max();
  for (std::size_t i = 0; i < machine_.devices.size(); ++i) {
    if (!machine_.devices[i].runs(*task.kernel)) continue;
    able.push_back(device_id{i});
    if (knows(task, able.back())) best = std::min(best, predict(task, able.back()));
  }
  total.next_look = nanoseconds::max();
  for (const device_id device : able) {
    kernel_costs* known = find(task, device);
    const nanoseconds more = predict(task, device) - best;
    if (more <= nanoseconds{0} || (known != nullptr && known->tried_factor > 0)) continue;
    const bool is_new = known == nullptr || known->launches < first_launches;
    const nanoseconds price = is_new ? more + std::max(total.longest, least_first_launch) : more;
    const nanoseconds since = known == nullptr ? nanoseconds{0} : known->busy_then;
    if (price > longest_price) continue;
    const nanoseconds due = since + std::max(tasks_of_trial * part_for_trials * price, unused);
    if (total.busy < due) {
      total.next_look = std::min(total.next_look, due);
      continue;
    }
    begin_trial(task, device, best);
  }
  total.next_look = std::max(total.next_look, total.soon());
}

void cost_model::begin_trial(const launch_command& task, device_id device, nanoseconds best) {
  kernel_costs* known = find(task, device);
  if (known == nullptr) {
    const bool is_wide = task.width == body_width::wide;
    known = &make_entry(*task.kernel, device, task.cost.size(), is_wide);
  }
  known->tried_factor = tried_share * count(best) / at_least_one(launch_by_rates(task, device));
  known->busy_then = known->total->busy;
  note_change_on(device);
}

void cost_model::try_soon(const launch_command& task, device_id device) {
  if (knows(task, device)) return;
  nanoseconds best = nanoseconds::max();
  for (std::size_t i = 0; i < machine_.devices.size(); ++i) {
    const device_id other{i};
    if (!machine_.devices[i].runs(*task.kernel) || !knows(task, other)) continue;
    best = std::min(best, predict(task, other));
  }
  if (best < predict(task, device)) begin_trial(task, device, best);
}

/// A launch of a trial was measured.
void cost_model::end_trial(kernel_costs& known, double factor) noexcept {
  // Three such launches change the median; the first of them may have been an accident.
  const bool is_news = factor * recent_median::far_away < known.factor.value();
  known.tried_factor = is_news ? factor : 0;
}

kernel_costs& cost_model::make_entry(const kernel_definition& kernel, device_id device, int size,
                                     bool is_wide) const {
  kernel_costs& made = launches_[launch_key{kernel.name, device, size}];
  made.is_wide = is_wide;
  made.total = &totals_[{kernel.name, size}];
  made.total->look_soon();
  made.runs_on.clear();
  for (const machine::device_node& each : machine_.devices) {
    made.runs_on.push_back(each.runs(kernel));
  }
  return made;
}

struct cost_model::done_work {
  double launches = 0;
  launch_work sum;
  bool is_wide = false;
  std::vector<bool> runs_on;
  std::vector<double> mean_on;  ///< lane time of a launch on each device; negative: there was none
};

std::map<std::pair<std::string, int>, cost_model::done_work> cost_model::all_done() const {
  std::map<std::pair<std::string, int>, done_work> made;
  for (const auto& [key, costs] : launches_) {
    if (costs.launches == 0) continue;
    const auto launches = static_cast<double>(costs.launches);
    done_work& of = made[{key.kernel, key.size}];
    of.launches += launches;
    of.sum.flops += costs.done.flops;
    of.sum.bytes += costs.done.bytes;
    of.is_wide = costs.is_wide;
    of.runs_on = costs.runs_on;
    of.mean_on.resize(machine_.devices.size(), -1);
    of.mean_on[key.device.value] = costs.lane_time / launches;
  }
  return made;
}

launch_command cost_model::mean_of(const std::string& kernel, const done_work& work) {
  kernel_definition named;
  named.name = kernel;
  launch_command made;
  made.kernel = std::make_shared<const kernel_definition>(std::move(named));
  made.width = work.is_wide ? body_width::wide : body_width::serial;
  made.cost = {work.sum.flops / work.launches, work.sum.bytes / work.launches};
  return made;
}

void cost_model::add_done(device_prices& to) const {
  for (const auto& entry : all_done()) {
    const std::string& kernel = entry.first.first;
    const done_work& work = entry.second;
    const launch_command mean = mean_of(kernel, work);
    to.add(kernel + " " + std::to_string(entry.first.second), [&](std::size_t i) {
      if (work.mean_on[i] >= 0) return work.launches * work.mean_on[i];
      if (!work.runs_on[i]) return std::numeric_limits<double>::infinity();
      const device_id device{i};
      return work.launches * lanes_of(mean, device) * count(predict(mean, device));
    });
  }
}

measured_costs cost_model::learned() const {
  measured_costs made;
  for (const auto& [key, costs] : launches_) {
    if (costs.launches < enough_to_tell) continue;
    const launch_work mean = mean_work(costs);
    const nanoseconds by_rates = launch_by_rates(key.kernel, mean, costs.is_wide, key.device);
    const nanoseconds time = rounded(costs.factor.value() * at_least_one(by_rates));
    made.launches.push_back({key.kernel, key.device, {mean, costs.is_wide, time}});
  }
  copies_.add_learned(made.copies);
  return made;
}

}  // namespace hocket::placement
