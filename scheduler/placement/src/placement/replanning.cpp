// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/replanning.hpp"

#include <algorithm>

#include "placement/time_counts.hpp"

namespace hocket::placement {

namespace {

constexpr std::size_t rounds_with_a_plan = 8;

double in_nanoseconds(nanoseconds time) { return static_cast<double>(time.count()); }

/// How often tasks behind this one update one of its buffers, too.
double later_updates(const placed_task& t) {
  std::uint32_t most = 1;
  for (const task_access& a : t.accesses) {
    if (a.mode == access_mode::update) most = std::max(most, a.buffer->updates);
  }
  return most - 1;
}

/// The loss of later tasks if what this one updates stays on the device: the time that they
/// take longer there, or its way to where they are fastest.
double loss_of_staying(const task_costs& costs, device_id device, double later) {
  const double longer = later * in_nanoseconds(costs.time(device) - costs.shortest());
  return longer == 0 ? 0 : std::min(longer, in_nanoseconds(costs.way_to_fastest(device)));
}

}  // namespace

// The first were tuned on the machines of bench/placement; the tables are in decision 0067. With
// the others, single runs are shorter or longer by a twelfth, and as long in the mean.
constexpr std::array<replanning::weights, kept_schedule::runs_to_compare> replanning::variants{{
    {2, 1, 1.5},
    {2, 0.3, 1.5},
    {3, 0.5, 2},
    {2, 1, 0.75},
    {4, 1, 1.5},
    {2, 1, 2.25},
    {1, 1, 1.5},
    {1.2, 2, 1.2},
}};

void replanning::vary(std::size_t variant) noexcept { weights_ = &variants[variant]; }

/// The terms that sums of one task have in common on all devices.
struct replanning::common_terms {
  common_terms(const placed_task& t, const device_view& view, const weights& given)
      : devices(view),
        costs(view.costs(t)),
        later(later_updates(t)),
        times(given),
        price(given.price * view.weight_of_prices()) {}

  /// No device has a lesser sum of its time and price.
  [[nodiscard]] double least() const { return devices.least_cost(costs.times(), price); }

  const device_view& devices;
  task_costs costs;
  double later;
  const weights& times;
  double price;  ///< the weight of the price of a device
};

replanning::terms replanning::terms_of(device_id device, const common_terms& common,
                                       device_plans& plans) {
  const task_costs& costs = common.costs;
  const data_cost& data = costs.data(device);
  const nanoseconds time = costs.time(device), moving = data.moving();
  const nanoseconds begin = std::max(plans.free_at(device), common.devices.arrival(data, device));
  const double load = moving.count() == 0 ? 0 : plans.load_of_links(device, common.devices);
  return {begin + time, common.times.moving * load * in_nanoseconds(moving),
          common.times.staying * loss_of_staying(costs, device, common.later),
          common.price * common.devices.price(device) * in_nanoseconds(time)};
}

bool replanning::begin_round(const device_view& devices, const round_news& news) {
  const bool has_gained = plans_.look_at(devices);
  // An open task was planned for a device that had no room, and is only final when that has.
  if (plans_.rooms() == 0 || !(has_gained || news.any())) return false;
  plans_.begin(!news.estimates);
  // Now and then all are planned anew, because tasks and copies take other times than planned; and
  // when a device has room for which no task was found.
  const bool is_due = ++rounds_ % rounds_with_a_plan == 0;
  if (news.estimates || is_due || lacks_task_) ++valid_since_;
  lacks_task_ = false;
  place_ = 0;
  return true;
}

std::optional<replanning::candidate> replanning::best_of(const placed_task& t,
                                                         const device_view& devices,
                                                         device_plans& plans) const {
  const common_terms common(t, devices, *weights_);
  if (!common.costs.fastest().valid()) return std::nullopt;
  const double least = common.least();
  const nanoseconds arrival_elsewhere = common.costs.earliest_elsewhere();
  std::optional<candidate> best;
  const auto look_at = [&](bool with_data) {
    const nanoseconds arrival = with_data ? nanoseconds{0} : arrival_elsewhere;
    for (const device_id device : plans.in_order()) {
      if (common.costs.has_data(device) != with_data) continue;
      // Other devices are free later.
      const nanoseconds begin = std::max(plans.free_at(device), arrival);
      if (best && in_nanoseconds(begin) + least > best->score) break;
      if (!common.costs.can_run(device)) continue;
      const terms sum = terms_of(device, common, plans);
      const double score = sum.sum();
      const bool is_better = !best || score < best->score ||
                             (score == best->score && plans.comes_before(device, best->device));
      if (is_better) best = candidate{device, score, sum.end, common.costs.time(device)};
    }
  };
  look_at(true);
  look_at(false);
  return best;
}

void replanning::explain(const placed_task& t, const device_view& devices, bool in_round,
                         std::span<traced_candidate> candidates) const {
  if (candidates.empty()) return;
  const common_terms common(t, devices, *weights_);
  device_plans plans = plans_;
  if (!in_round) {
    (void)plans.look_at(devices);
    plans.begin(false);
  }
  for (traced_candidate& each : candidates) {
    const terms sum = terms_of(each.device, common, plans);
    each.end = sum.end;
    each.links = rounded(sum.links);
    each.staying = rounded(sum.staying);
    each.price = rounded(sum.price);
  }
  // Only differences of prices decide.
  const nanoseconds least = std::ranges::min(candidates, {}, &traced_candidate::price).price;
  for (traced_candidate& each : candidates) each.price -= least;
}

std::optional<device_id> replanning::choose(const placed_task& t, const device_view& devices) {
  (void)plan_of_one_.look_at(devices);
  plan_of_one_.begin(false);
  const auto best = best_of(t, devices, plan_of_one_);
  return best ? std::optional(best->device) : std::nullopt;
}

/// None if the task is looked at for the first time, or many tasks came before it since.
const replanning::earlier_plan* replanning::find_earlier(const placed_task& t) const {
  if (t.costs >= earlier_.size()) return nullptr;
  const earlier_plan& found = earlier_[t.costs];
  constexpr std::size_t few = 8;
  const bool counts =
      found.age == t.age && found.since == valid_since_ && place_ <= found.place + few;
  return counts ? &found : nullptr;
}

void replanning::put_off(device_id device, nanoseconds takes, const device_view& devices) {
  plans_.put_off(device, limited_sum(plans_.free_at(device), takes));
  for (const core_sharing::rival& each : devices.rivals(device)) {
    const nanoseconds there = rounded(each.loses * in_nanoseconds(takes));
    plans_.put_off(each.device, limited_sum(plans_.free_at(each.device), there));
  }
}

std::optional<placement_decision> replanning::decide(const placed_task& t,
                                                     const device_view& devices) {
  ++place_;
  const earlier_plan* const earlier = find_earlier(t);
  if (earlier != nullptr && (plans_.useful_rooms() == 0 || plans_.room(earlier->device) == 0)) {
    put_off(earlier->device, earlier->takes, devices);
    return placement_decision{earlier->device, false};
  }
  const auto best = best_of(t, devices, plans_);
  if (!best) return std::nullopt;
  const auto lanes = static_cast<std::int64_t>(devices.lanes(best->device));
  const nanoseconds takes = best->time / lanes;
  put_off(best->device, takes, devices);
  if (plans_.room(best->device) == 0) {
    lacks_task_ = plans_.useful_rooms() > 0;
    if (t.costs >= earlier_.size()) earlier_.resize(t.costs + 1);
    earlier_[t.costs] = {t.age, valid_since_, place_, best->device, takes};
    return placement_decision{best->device, false};
  }
  if (lanes == 1 && best->end > plans_.free_at(best->device)) {
    plans_.put_off(best->device, best->end);
  }
  plans_.take_room(best->device);
  return placement_decision{best->device, true};
}

}  // namespace hocket::placement
