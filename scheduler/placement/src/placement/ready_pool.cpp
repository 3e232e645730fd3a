// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/ready_pool.hpp"
#include "placement/kernel_preparations.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "placement/device_queues.hpp"

namespace hocket::placement {

namespace {

/// In nanoseconds; infinite where such launches cannot run.
double time_on(const launch_times& times, std::size_t device) {
  const launch_times::on_device& on = times.on[device];
  if (!on.can_run) return std::numeric_limits<double>::infinity();
  return static_cast<double>(on.time.count());
}

}  // namespace

place_in_queue ready_pool::place_of(placed_task& t) {
  return {{detail::rank_of(t.priority), -t.upward}, t.age, &t};
}

void ready_pool::add(placed_task& t) {
  t.phase = task_phase::open;
  const place_in_queue place = place_of(t);
  tasks_.insert(place);
  // Behind tasks that the last round did not come to, there is none that a device has room for.
  if (!not_reached_ || place < *not_reached_) has_changed_ = news_.tasks = true;
  end_without_device(t);
}

void ready_pool::remove(placed_task& t) {
  tasks_.erase(place_of(t));
  s_.task_times.forget(t);
  // No task is left for which a device that has room would look, and it may have some by now.
  if (tasks_.empty()) not_reached_.reset();
}

std::vector<placed_task*> ready_pool::take_all() {
  std::vector<placed_task*> all;
  for (const place_in_queue& each : tasks_) all.push_back(each.task);
  for (placed_task* const t : all) remove(*t);
  return all;
}

/// Later tasks have smaller ranks than those that they come after. All are ranked again when half
/// as many as there are have come or gone since, so that ranking costs a task the same however many
/// there are.
void ready_pool::rank_again() {
  const std::uint64_t changes = s_.tasks.added() + s_.ended;
  if (changes - ranked_ < std::max<std::uint64_t>(32, s_.tasks.size() / 2)) return;
  ranked_ = changes;
  std::vector<placed_task*> all = s_.tasks.sorted();
  std::ranges::sort(all, {}, &placed_task::age);
  std::vector<placed_task*> open;
  for (const place_in_queue& each : tasks_) open.push_back(each.task);
  tasks_.clear();
  s_.prices.begin();
  float critical_path = 0;
  for (auto at = all.rbegin(); at != all.rend(); ++at) {
    placed_task& t = **at;
    if (t.phase != task_phase::blocked && t.phase != task_phase::open) continue;
    float longest = 0, at_best = 0;
    for (const task_edge& edge : t.followers) {
      longest = std::max(longest, edge.after->upward);
      at_best = std::max(at_best, edge.after->at_best);
    }
    const pending_time own = count_as_pending(t);
    t.upward = longest + own.mean;
    t.at_best = at_best + own.least;
    critical_path = std::max(critical_path, t.at_best);
  }
  s_.prices.solve(critical_path);
  for (placed_task* const t : open) tasks_.insert(place_of(*t));
}

ready_pool::pending_time ready_pool::count_as_pending(const placed_task& t) {
  if (t.kind != task_kind::launch) return {};
  const launch_times& times = s_.task_times.times_of(*t.launch);
  if (s_.task_times.runs_everywhere(t)) {
    s_.prices.add(t.launch->kernel->name, [&](std::size_t i) { return time_on(times, i); });
    if (!times.fastest.valid()) return {};
    return {times.mean, static_cast<float>(times.on[times.fastest.value].time.count())};
  }
  // Work for one device alone is another kind than work that all can do.
  std::string kind = t.launch->kernel->name;
  if (t.on.valid()) kind += " on " + std::to_string(t.on.value);
  pending_time made;
  int devices = 0;
  s_.prices.add(kind, [&](std::size_t i) {
    if (!s_.view.can_run(t, device_id{i})) return std::numeric_limits<double>::infinity();
    const double time = time_on(times, i);
    made.mean += static_cast<float>(time);
    made.least =
        devices == 0 ? static_cast<float>(time) : std::min(made.least, static_cast<float>(time));
    ++devices;
    return time;
  });
  if (devices > 0) made.mean /= static_cast<float>(devices);
  return made;
}

/// No round would find that, where no device has room. The task leaves the pool when it ends, or
/// now if it waits for a device.
void ready_pool::end_without_device(placed_task& t) {
  for (std::size_t i = 0; i < s_.devices.size(); ++i) {
    if (s_.view.can_run(t, device_id{i})) return;
  }
  if (s_.waits_for_device(t)) {
    remove(t);
  } else {
    s_.work.end_later(t, s_.without_device(t));
  }
}

std::size_t ready_pool::window() const {
  constexpr double nanoseconds_to_ask = 40;  // of a task, for each device
  std::size_t lanes = 0;
  for (std::size_t i = 0; i < s_.devices.size(); ++i) lanes += s_.view.lanes(device_id{i});
  // When all lanes work, one task ends every so often.
  const double interval =
      static_cast<double>(s_.costs.usual_launch().count()) / static_cast<double>(lanes);
  const double affordable =
      interval / (nanoseconds_to_ask * static_cast<double>(s_.devices.size()));
  return std::clamp(static_cast<std::size_t>(affordable), least_asked, most_asked);
}

/// A device may stand idle all the time, because no task suits it: then more are asked for only now
/// and then.
bool ready_pool::should_ask_more() {
  constexpr std::size_t rounds_between_tries = 64;
  std::size_t idle = 0;
  for (std::size_t i = 0; i < s_.devices.size(); ++i) {
    if (s_.devices[i].is_used() && s_.view.tasks(device_id{i}) == 0) ++idle;
  }
  const bool is_in_vain = idle <= idle_in_vain_ && ++rounds_in_vain_ < rounds_between_tries;
  idle_in_vain_ = idle;
  if (is_in_vain) return false;
  rounds_in_vain_ = 0;
  return idle > 0;
}

void ready_pool::hold_round() {
  has_changed_ = false;
  if (estimates_ != s_.costs.changes()) {
    estimates_ = s_.costs.changes();
    news_.estimates = true;
  }
  if (seen_changes_ != s_.changes) {
    seen_changes_ = s_.changes;
    const std::vector<place_in_queue> all(tasks_.begin(), tasks_.end());
    for (const place_in_queue& each : all) end_without_device(*each.task);
  }
  if (!s_.chooser->begin_round(s_.view, news_)) return;
  news_ = {};
  rank_again();
  const std::size_t enough = window();
  std::size_t asked = 0;  // without a final answer
  bool asks_more = false;
  not_reached_.reset();
  auto at = tasks_.begin();
  while (at != tasks_.end() && asked < most_asked) {
    if (asked == enough && !asks_more) {
      asks_more = should_ask_more();
      if (!asks_more) break;
    }
    placed_task& t = *at->task;
    if (t.costs == 0) s_.task_times.keep(t);
    if (t.traced != nullptr) s_.decisions.weigh(t, s_);
    const std::optional<placement_decision> decided = s_.chooser->decide(t, s_.view);
    if (decided && decided->is_final && preparations_.begin(t, decided->device)) {
      // Another device was planned for it than it can have now.
      has_changed_ = true;
      return;
    }
    if (decided && decided->is_final) {
      at = tasks_.erase(at);
      s_.task_times.forget(t);
      queues_.enqueue(t, decided->device);
      if (asks_more) idle_in_vain_ = 0;
    } else {
      ++at;
      ++asked;
    }
    if (s_.chooser->ends_round()) return;
  }
  if (at != tasks_.end()) not_reached_ = *at;
}

}  // namespace hocket::placement
