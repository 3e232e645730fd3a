// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/schedule_batches.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

#include <hocket/core/saturating.hpp>

#include "graphs/placed_plan.hpp"

namespace hocket::detail {

namespace {

using placement::graph_schedule;
using placement::recorded_edge;
using placement::scheduled_task;
using placement::unknown_time;

/// A longer batch would save little more, and holds up what comes after it from outside.
constexpr nanoseconds longest_batch = std::chrono::milliseconds(1);

/// The regions that a batch uses, each once.
class batch_regions {
 public:
  /// Adds those of the tasks, if the batch may have them too: regions with an order are the same,
  /// they are few, and their buffers have so many bytes together at most.
  [[nodiscard]] bool try_add(const candidate& tasks, std::uint64_t most_bytes) {
    const std::vector<use> before = all_;
    const std::uint64_t bytes_before = bytes_;
    const bool fits = std::ranges::all_of(tasks.accesses, [&](const access_argument* each) {
      return try_add(*each) && all_.size() <= max_regions_in_batch && bytes_ <= most_bytes;
    });
    if (!fits) {
      all_ = before;
      bytes_ = bytes_before;
    }
    return fits;
  }

 private:
  struct use {
    const access_argument* region;
    bool writes;
  };

  [[nodiscard]] bool try_add(const access_argument& added) {
    use* known = nullptr;
    bool has_buffer = false;
    const bool writes = writes_content(added.mode);
    for (use& each : all_) {
      if (each.region->data != added.data) continue;
      has_buffer = true;
      if (same_region(*each.region, added)) {
        known = &each;
      } else if ((each.writes || writes) && overlap(each.region->where, added.where)) {
        return false;
      }
    }
    if (known != nullptr) {
      known->writes = known->writes || writes;
    } else {
      all_.push_back({&added, writes});
      if (!has_buffer) bytes_ = saturating_add(bytes_, added.data->bytes());
    }
    return true;
  }

  std::vector<use> all_;
  std::uint64_t bytes_ = 0;
};

class schedule_search {
 public:
  schedule_search(const recorded_nodes& content, const placed_plan& plan,
                  const graph_schedule& schedule, const placement::machine& machine)
      : content_(content),
        plan_(plan),
        tasks_(schedule.tasks),
        machine_(machine),
        before_(tasks_.size(), nanoseconds::min()),
        after_(tasks_.size(), nanoseconds::max()) {}

  [[nodiscard]] std::vector<task_group> run() {
    for (std::uint32_t i = 0; i < tasks_.size(); ++i) note_followers_of(i);
    std::vector<std::size_t> in_order(tasks_.size());
    std::iota(in_order.begin(), in_order.end(), std::size_t{0});
    std::ranges::sort(in_order, {}, [&](std::size_t i) { return tasks_[i].number; });
    for (const std::size_t node : in_order) add(node);
    return sorted();
  }

 private:
  struct segment {
    candidate tasks;
    nanoseconds begun;
    nanoseconds after;  ///< until then nothing elsewhere waits for what these have left
    batch_regions regions;
  };

  [[nodiscard]] const placement::machine::device_node& device_of(std::size_t node) const {
    return machine_.devices[tasks_[node].device.value];
  }

  /// Notes when other lanes had what each task needs of them, and until when they did not need
  /// what it leaves.
  void note_edge(std::size_t before, std::size_t after) {
    const scheduled_task& earlier = tasks_[before];
    const scheduled_task& later = tasks_[after];
    if (earlier.number.stream == later.number.stream) return;
    const bool is_copied = device_of(before).memory != device_of(after).memory;
    if (earlier.ended == unknown_time || later.begun == unknown_time || is_copied) {
      // The time of the copy is not known: the one ends a batch, the other begins one.
      before_[after] = nanoseconds::max();
      after_[before] = nanoseconds::min();
    } else {
      before_[after] = std::max(before_[after], earlier.ended);
      after_[before] = std::min(after_[before], later.begun);
    }
  }

  void note_followers_of(std::uint32_t node) {
    for (const recorded_edge& edge : plan_.edges(node)) note_edge(edge.before, node);
  }

  [[nodiscard]] bool admits(std::size_t node) const {
    const scheduled_task& place = tasks_[node];
    // A wide body has all lanes at once.
    const bool has_one_lane = device_of(node).compute.size() == 1 ||
                              plan_.width(static_cast<std::uint32_t>(node)) == body_width::serial;
    return has_one_lane && !place.has_left && place.ended != unknown_time &&
           !task_of(content_, node).kernel->result;
  }

  void add(std::size_t node) {
    candidate next = described(content_, node);
    next.can_join = next.can_join && admits(node);
    if (joins_last(next, node)) {
      segment& last = segments_.back();
      append(last.tasks, next);
      last.after = std::min(last.after, after_[node]);
      return;
    }
    segment& made = segments_.emplace_back(
        segment{std::move(next), tasks_[node].begun, after_[node], batch_regions()});
    const bool fits = made.regions.try_add(made.tasks, most_bytes(node));
    made.tasks.can_join = made.tasks.can_join && fits;
  }

  /// A batch needs all of its buffers at the same time, beside what the device has for others.
  [[nodiscard]] std::uint64_t most_bytes(std::size_t node) const {
    return machine_.memories[device_of(node).memory.value].capacity / 2;
  }

  [[nodiscard]] bool joins_last(const candidate& next, std::size_t node) {
    if (segments_.empty() || !next.can_join) return false;
    segment& last = segments_.back();
    const scheduled_task& place = tasks_[node];
    return last.tasks.can_join && last.tasks.members.size() < max_tasks_in_batch &&
           tasks_[last.tasks.members.front()].number.stream == place.number.stream &&
           before_[node] <= last.begun && place.ended <= last.after &&
           place.ended - last.begun <= longest_batch &&
           agree_in_options(content_, last.tasks, next) &&
           last.regions.try_add(next, most_bytes(node));
  }

  /// In an order in which they can be submitted, the earliest first. Nothing if there is none: the
  /// times of devices that report several commands together may not be true.
  [[nodiscard]] std::vector<task_group> sorted() const {
    const std::vector<std::size_t> part_of = segment_of_each();
    std::vector<std::vector<std::size_t>> followers(segments_.size());
    std::vector<std::size_t> blockers(segments_.size());
    const auto note = [&](std::size_t before, std::size_t after) {
      if (part_of[before] == part_of[after]) return;
      followers[part_of[before]].push_back(part_of[after]);
      ++blockers[part_of[after]];
    };
    for (std::uint32_t i = 0; i < tasks_.size(); ++i) {
      for (const recorded_edge& edge : plan_.edges(i)) note(edge.before, i);
    }
    note_lines(note);
    using rank = std::tuple<nanoseconds, std::size_t, std::size_t>;
    std::priority_queue<rank, std::vector<rank>, std::greater<>> open;
    const auto push = [&](std::size_t s) {
      open.emplace(segments_[s].begun, segments_[s].tasks.members.front(), s);
    };
    for (std::size_t s = 0; s < segments_.size(); ++s) {
      if (blockers[s] == 0) push(s);
    }
    std::vector<task_group> groups;
    for (; !open.empty();) {
      const std::size_t next = std::get<2>(open.top());
      open.pop();
      groups.push_back(segments_[next].tasks.members);
      for (const std::size_t follower : followers[next]) {
        if (--blockers[follower] == 0) push(follower);
      }
    }
    if (groups.size() < segments_.size() || groups.size() == tasks_.size()) return {};
    return groups;
  }

  /// Tasks in order, and those that take bytes, have their turns by age: in the order of the plan.
  template <class Note>
  void note_lines(const Note& note) const {
    std::optional<std::size_t> last;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const task_description& task = task_of(content_, i);
      if (!task.in_order && !task.takes) continue;
      if (last) note(*last, i);
      last = i;
    }
  }

  [[nodiscard]] std::vector<std::size_t> segment_of_each() const {
    std::vector<std::size_t> part_of(tasks_.size());
    for (std::size_t s = 0; s < segments_.size(); ++s) {
      for (const std::size_t node : segments_[s].tasks.members) part_of[node] = s;
    }
    return part_of;
  }

  const recorded_nodes& content_;
  const placed_plan& plan_;
  const std::vector<scheduled_task>& tasks_;
  const placement::machine& machine_;
  std::vector<nanoseconds> before_;
  std::vector<nanoseconds> after_;
  std::vector<segment> segments_;
};

/// Counts for each batch those of its device that are issued before it gets that.
void count_behind(std::vector<scheduled_task>& batches) {
  std::vector<std::pair<device_id, nanoseconds>> issued;
  for (const scheduled_task& each : batches) issued.emplace_back(each.device, each.issued);
  std::ranges::sort(issued);
  for (scheduled_task& each : batches) {
    const auto first = std::ranges::lower_bound(issued, std::pair(each.device, nanoseconds::min()));
    const auto end = std::ranges::lower_bound(issued, std::pair(each.device, each.chosen));
    each.behind = static_cast<std::uint32_t>(end - first);
  }
}

}  // namespace

std::vector<task_group> batches_of(const recorded_nodes& content, const placed_plan& plan,
                                   const graph_schedule& schedule,
                                   const placement::machine& machine) {
  return schedule_search(content, plan, schedule, machine).run();
}

std::shared_ptr<const graph_schedule> schedule_of_batches(const graph_schedule& schedule,
                                                          std::span<const std::size_t> moved,
                                                          std::size_t batches) {
  auto made = std::make_shared<graph_schedule>();
  made->took = schedule.took;
  made->tasks.resize(batches);
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const scheduled_task& from = schedule.tasks[i];
    scheduled_task& to = made->tasks[moved[i]];
    const bool is_first = !to.device.valid();
    to.device = from.device;
    // A batch is not held until the time of the schedule: one behind the other they end earlier.
    to.chosen = is_first ? from.chosen : nanoseconds{0};
    to.issued = is_first ? from.issued : std::min(to.issued, from.issued);
    to.rank = std::max(to.rank, from.rank);
  }
  // A batch may come after one that has its device later in the schedule than the first of its own
  // tasks has: the turns are those of the groups.
  for (std::uint32_t i = 0; i < batches; ++i) made->tasks[i].turn = i;
  count_behind(made->tasks);
  return made;
}

}  // namespace hocket::detail
