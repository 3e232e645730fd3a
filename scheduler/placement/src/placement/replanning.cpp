// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/replanning.hpp"

#include <algorithm>
#include <limits>

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
double loss_of_staying(const placed_task& t, const task_costs& costs, device_id device) {
  const nanoseconds more = costs.time(device) - costs.shortest();
  if (more.count() == 0) return 0;
  const double longer = later_updates(t) * in_nanoseconds(more);
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
        task(t),
        times(given),
        price(given.price * view.weight_of_prices()) {}

  /// No device has a lesser sum of its time and price.
  [[nodiscard]] double least() const { return devices.least_cost(costs.times(), price); }

  const device_view& devices;
  task_costs costs;
  const placed_task& task;
  const weights& times;
  double price;  ///< the weight of the price of a device
};

replanning::terms replanning::terms_of(device_id device, const common_terms& common,
                                       const device_plans& plans) {
  const task_costs& costs = common.costs;
  const data_cost& data = costs.data(device);
  const nanoseconds time = costs.time(device), moving = data.moving();
  const nanoseconds begin = std::max(plans.free_at(device), common.devices.arrival(data, device));
  const double load = moving.count() == 0 ? 0 : common.devices.load_of_links(device);
  return {begin + time, common.times.moving * load * in_nanoseconds(moving),
          common.times.staying * loss_of_staying(common.task, costs, device),
          common.price * common.devices.price(device) * in_nanoseconds(time)};
}

bool replanning::begin_round(const device_view& devices, const round_news& news) {
  // An open task was planned for a device that had no room, and is only final when that has.
  if (!news.any() && !plans_.have_gained(devices)) return false;
  (void)plans_.look_at(devices);
  if (plans_.rooms() == 0) return false;
  plans_.begin(devices, !news.estimates);
  // Now and then all are planned anew, because tasks and copies take other times than planned; and
  // when a device has room for which no task was found.
  const bool is_due = ++rounds_ % rounds_with_a_plan == 0;
  if (news.estimates || is_due || lacks_task_) ++valid_since_;
  lacks_task_ = false;
  place_ = 0;
  return true;
}

/// Looks for the device with the least sum of terms for one task.
class replanning::search {
 public:
  search(const placed_task& t, const device_view& devices, const device_plans& plans,
         const weights& given)
      : common_(t, devices, given), plans_(plans) {}

  /// guess: a device that may be the best, so that it is known soon which are worse; not valid:
  /// there is none.
  [[nodiscard]] std::optional<candidate> best(device_id guess) {
    if (!common_.costs.fastest().valid()) return std::nullopt;
    least_ = common_.least();
    const nanoseconds arrival_elsewhere = common_.costs.earliest_elsewhere();
    // The cost of bringing data is kept as it was at the first look. Where devices are left that
    // were not looked at, each is looked at as early as it would be without the guess.
    if (guess.valid() && common_.costs.is_known()) look_at({plans_.free_at(guess), guess});
    look_at_holders();
    look_at_all(false, arrival_elsewhere);
    return best_;
  }

 private:
  using free_device = device_plans::free_device;

  /// Devices that have data of the task, in the order in which they are free.
  void look_at_holders() {
    const auto* const few = common_.costs.few_with_data();
    if (few == nullptr) return look_at_all(true, nanoseconds{0});
    short_list<free_device, 4> sorted;
    for (const device_id each : *few) sorted.push_back({plans_.free_at(each), each});
    std::sort(sorted.begin(), sorted.end());
    for (const free_device& each : sorted) {
      if (ends_at(each.at)) return;
      look_at(each);
    }
  }

  void look_at_all(bool with_data, nanoseconds arrival) {
    for (const free_device& each : plans_.in_order()) {
      if (ends_at(std::max(each.at, arrival))) return;
      if (common_.costs.has_data(each.device) == with_data) look_at(each);
    }
  }

  /// True if no device that begins then or later is better than the best.
  [[nodiscard]] bool ends_at(nanoseconds begin) const {
    return in_nanoseconds(begin) + least_ > least_sum_;
  }

  [[gnu::always_inline]] void look_at(const free_device& at) {
    if (common_.costs.can_run(at.device) && !is_more_at_least(at)) look_closer(at);
  }

  [[gnu::noinline]] void look_closer(const free_device& at) {
    if (best_ && at.device == best_->device) return;
    const terms sum = terms_of(at.device, common_, plans_);
    const double score = sum.sum();
    const bool is_better = !best_ || score < least_sum_ ||
                           (score == least_sum_ && plans_.comes_before(at.device, best_->device));
    if (!is_better) return;
    best_ = candidate{at.device, score, sum.end, common_.costs.time(at.device)};
    least_sum_ = score;
  }

  /// True if the sum is more than the least so far even if no link has other copies to make and
  /// nothing is lost by staying. No term is negative, and rounding keeps the order of sums.
  [[nodiscard, gnu::always_inline]] bool is_more_at_least(const free_device& at) const {
    const nanoseconds moving = common_.costs.data(at.device).moving();
    const nanoseconds time = common_.costs.time(at.device);
    terms some{.end = std::max(at.at, moving) + time,
               .price = common_.price * common_.devices.price(at.device) * in_nanoseconds(time)};
    if (some.sum() > least_sum_) return true;
    if (moving.count() == 0) return false;
    const double load = common_.devices.load_of_links(at.device);
    some.links = common_.times.moving * load * in_nanoseconds(moving);
    return some.sum() > least_sum_;
  }

  common_terms common_;
  const device_plans& plans_;
  double least_ = 0;  ///< no device takes less time and price
  std::optional<candidate> best_;
  double least_sum_ = std::numeric_limits<double>::infinity();
};

std::optional<replanning::candidate> replanning::best_of(const placed_task& t,
                                                         const device_view& devices,
                                                         const device_plans& plans,
                                                         const weights& given, device_id guess) {
  return search(t, devices, plans, given).best(guess);
}

void replanning::explain(const placed_task& t, const device_view& devices, bool in_round,
                         std::span<traced_candidate> candidates) const {
  if (candidates.empty()) return;
  const common_terms common(t, devices, *weights_);
  device_plans plans = plans_;
  if (!in_round) {
    (void)plans.look_at(devices);
    plans.begin(devices, false);
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
  plan_of_one_.begin(devices, false);
  const auto best = best_of(t, devices, plan_of_one_, *weights_, {});
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

/// Where the task was planned last; not valid where it was not.
device_id replanning::last_device(const placed_task& t) const {
  const bool is_known = t.costs < earlier_.size() && earlier_[t.costs].age == t.age;
  return is_known ? earlier_[t.costs].device : device_id{};
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
  const auto best = best_of(t, devices, plans_, *weights_, last_device(t));
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
