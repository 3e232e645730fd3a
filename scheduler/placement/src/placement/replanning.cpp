// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/replanning.hpp"

#include <algorithm>

namespace hocket::placement {

namespace {

// Tuned on the machines of bench/placement; the tables are in decision 0067.
constexpr double weight_of_moving = 2;  // times the load of the links
constexpr double weight_of_staying = 1;
constexpr double weight_of_price = 1.5;

double in_nanoseconds(nanoseconds time) { return static_cast<double>(time.count()); }

/// How often tasks behind this one update one of its buffers, too.
double later_updates(const placed_task& t) {
  std::uint32_t most = 1;
  for (const task_access& a : t.accesses) {
    if (a.mode == access_mode::update) most = std::max(most, a.buffer->updates);
  }
  return most - 1;
}

/// What the task costs on each device by the prices of their lanes, less what it costs where it is
/// cheapest.
class price_list {
 public:
  price_list(const task_costs& costs, const device_view& devices)
      : costs_(costs), devices_(devices), least_(of(costs.fastest)) {
    for (std::size_t i = 0; i < costs.on.size(); ++i) {
      if (costs.on[i].can_run) least_ = std::min(least_, of(device_id{i}));
    }
  }
  [[nodiscard]] double above_least(device_id device) const { return of(device) - least_; }

 private:
  [[nodiscard]] double of(device_id device) const {
    return devices_.price(device) * in_nanoseconds(costs_.on[device.value].time);
  }

  const task_costs& costs_;
  const device_view& devices_;
  double least_;
};

}  // namespace

replanning::plans replanning::begin_plans(const device_view& devices) {
  plans made(devices.count());
  for (std::size_t i = 0; i < made.size(); ++i) {
    const device_id device{i};
    made[i] = {devices.backlog(device), devices.room(device),
               weight_of_moving * devices.load_of_links(device)};
  }
  return made;
}

bool replanning::begin_round(const device_view& devices, bool has_news) {
  rooms_ = 0;
  bool has_gained = devices_.empty();
  for (std::size_t i = 0; i < devices.count(); ++i) {
    const std::size_t room = devices.room(device_id{i});
    rooms_ += room;
    if (!devices_.empty() && room > devices_[i].room) has_gained = true;
  }
  // An open task was planned for a device that had no room, and is only final when that has.
  if (rooms_ == 0 || !(has_gained || has_news)) return false;
  devices_ = begin_plans(devices);
  return true;
}

std::optional<replanning::candidate> replanning::best_of(const placed_task& t,
                                                         const device_view& devices,
                                                         const plans& all) {
  const task_costs& costs = devices.costs(t);
  if (!costs.fastest.valid()) return std::nullopt;
  const nanoseconds shortest = costs.on[costs.fastest.value].time;
  const double later = later_updates(t);
  const price_list prices(costs, devices);
  const double weight = weight_of_price * devices.weight_of_prices();
  std::optional<candidate> best;
  for (std::size_t i = 0; i < costs.on.size(); ++i) {
    const device_id device{i};
    const device_cost& cost = costs.on[i];
    if (!cost.can_run) continue;
    const nanoseconds begin = std::max(all[i].free_at, devices.arrival(cost, device));
    const double stays =
        std::min(later * in_nanoseconds(cost.time - shortest), in_nanoseconds(cost.move));
    const double score = in_nanoseconds(begin + cost.time) +
                         all[i].weight_of_moving * in_nanoseconds(cost.moving()) +
                         weight_of_staying * stays + weight * prices.above_least(device);
    if (!best || score < best->score) best = candidate{device, score, begin + cost.time, cost.time};
  }
  return best;
}

std::optional<device_id> replanning::choose(const placed_task& t, const device_view& devices) {
  const auto best = best_of(t, devices, begin_plans(devices));
  return best ? std::optional(best->device) : std::nullopt;
}

std::optional<placement_decision> replanning::decide(const placed_task& t,
                                                     const device_view& devices) {
  const auto best = best_of(t, devices, devices_);
  if (!best) return std::nullopt;
  plan_of_device& chosen = devices_[best->device.value];
  const auto lanes = static_cast<std::int64_t>(devices.lanes(best->device));
  const nanoseconds takes = best->time / lanes;
  chosen.free_at += takes;
  for (const core_sharing::rival& each : devices.rivals(best->device)) {
    const double there = each.loses * in_nanoseconds(takes);
    devices_[each.device.value].free_at += nanoseconds(static_cast<nanoseconds::rep>(there));
  }
  if (chosen.room == 0) return placement_decision{best->device, false};
  if (lanes == 1) chosen.free_at = std::max(chosen.free_at, best->end);
  --chosen.room;
  --rooms_;
  return placement_decision{best->device, true};
}

}  // namespace hocket::placement
