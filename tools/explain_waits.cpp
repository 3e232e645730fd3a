// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "explain_waits.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace tools {

namespace {

using hocket::nanoseconds;
using hocket::time_stamp;
using hocket::traced_copy;
using hocket::traced_task;

/// The one of two, which may be null, that ended later, if it ended by then.
template <class Part>
const Part* later(const Part* one, const Part* other, time_stamp by) {
  if (other == nullptr || other->end > by) return one;
  return one == nullptr || other->end > one->end ? other : one;
}

/// The last that began before this one, of those in the order of their begins.
template <class Part>
const Part* one_before(const std::vector<const Part*>& all, const Part& one) {
  const auto equal = std::ranges::lower_bound(all, one.begin, {}, &Part::begin);
  const auto at = std::find(equal, all.end(), &one);
  return at == all.begin() ? nullptr : *std::prev(at);
}

/// The last of those that suit, in the order of their ends, that had ended by then.
template <class Part, class Suits>
const Part* last_ended(const std::vector<const Part*>& all, time_stamp by, const Suits& suits) {
  for (auto at = std::ranges::upper_bound(all, by, {}, &Part::end); at != all.begin();) {
    if (suits(**--at)) return *at;
  }
  return nullptr;
}

nanoseconds overlap(time_stamp from, time_stamp to, time_stamp other_from, time_stamp other_to) {
  return std::max(nanoseconds{0}, std::min(to, other_to) - std::max(from, other_from));
}

}  // namespace

wait_finder::wait_finder(const recorded_run& run) : run_(run), streams_(run.stream_names.size()) {
  for (const traced_task& t : run.tasks) {
    tasks_by_end_.push_back(&t);
    if (ran(t)) streams_[t.stream.value].tasks.push_back(&t);
    for (const hocket::traced_access& a : t.accesses) {
      if (hocket::writes_content(a.mode)) writers_of_[a.buffer.value].push_back(&t);
    }
  }
  for (const traced_copy& c : run.copies) {
    copies_by_end_.push_back(&c);
    streams_[c.stream.value].copies.push_back(&c);
    copies_of_buffer_[c.buffer.value].push_back(&c);
    if (c.task.valid()) copies_of_[c.task.value].push_back(&c);
  }
  for (stream_use& each : streams_) {
    std::ranges::stable_sort(each.tasks, {}, &traced_task::begin);
    std::ranges::stable_sort(each.copies, {}, &traced_copy::begin);
  }
  std::ranges::stable_sort(tasks_by_end_, {}, &traced_task::end);
  std::ranges::stable_sort(copies_by_end_, {}, &traced_copy::end);
  for (auto& [buffer, all] : writers_of_) std::ranges::stable_sort(all, {}, &traced_task::end);
  for (auto& [buffer, all] : copies_of_buffer_)
    std::ranges::stable_sort(all, {}, &traced_copy::end);
}

const traced_task* wait_finder::last_before(const traced_task& t) const {
  const traced_task* last = nullptr;
  for (const hocket::task_id id : t.after) last = later(last, run_.find(id), t.begin);
  return last;
}

const traced_copy* wait_finder::last_copy(const traced_task& t) const {
  const auto found = copies_of_.find(t.id.value);
  const traced_copy* last = nullptr;
  if (found == copies_of_.end()) return last;
  for (const traced_copy* const c : found->second) last = later(last, c, t.begin);
  return last;
}

const traced_task* wait_finder::before_in_lane(const traced_task& t) const {
  return ran(t) ? one_before(streams_[t.stream.value].tasks, t) : nullptr;
}

task_waits wait_finder::waits_of(const traced_task& t) const {
  task_waits made;
  const time_stamp begin = std::max(t.begin, t.submitted);
  const traced_task* const before = last_before(t);
  const time_stamp free = std::max(t.submitted, before == nullptr ? t.submitted : before->end);
  made.of(wait_cause::dependence) = free - t.submitted;
  nanoseconds rest = begin - free;
  const auto take = [&](wait_cause cause, nanoseconds time) {
    made.of(cause) = std::clamp(time, nanoseconds{0}, rest);
    rest -= made.of(cause);
  };
  if (ran(t)) take(wait_cause::memory, overlap(free, begin, t.committed, t.issued));
  time_stamp there = free;
  if (const traced_copy* const copy = last_copy(t); copy != nullptr && copy->end > free) {
    there = copy->end;
    take(wait_cause::link, overlap(free, begin, copy->wanted, copy->begin));
    take(wait_cause::data, overlap(free, begin, copy->begin, copy->end));
  }
  if (const traced_task* const lane = before_in_lane(t)) {
    take(wait_cause::lane, overlap(there, begin, lane->begin, lane->end));
  }
  made.of(wait_cause::other) = rest;
  return made;
}

path_part wait_finder::behind(const traced_task& t) const {
  const traced_task* const before = last_before(t);
  const traced_copy* const copy = last_copy(t);
  const traced_task* const lane = later<traced_task>(nullptr, before_in_lane(t), t.begin);
  const time_stamp end_before = before == nullptr ? time_stamp::min() : before->end;
  const time_stamp end_copy = copy == nullptr ? time_stamp::min() : copy->end;
  if (copy != nullptr && end_copy >= end_before && (lane == nullptr || end_copy >= lane->end)) {
    return {.copy = copy, .gap = t.begin - end_copy, .behind = wait_cause::data};
  }
  if (before != nullptr && (lane == nullptr || end_before >= lane->end)) {
    return {.task = before, .gap = t.begin - end_before, .behind = wait_cause::dependence};
  }
  if (lane == nullptr) return {.gap = t.begin, .behind = wait_cause::other};
  return {.task = lane, .gap = t.begin - lane->end, .behind = wait_cause::lane};
}

const traced_task* wait_finder::writer_of(const traced_copy& c) const {
  const auto found = writers_of_.find(c.buffer.value);
  if (found == writers_of_.end()) return nullptr;
  return last_ended(found->second, c.begin, [](const traced_task&) { return true; });
}

const traced_copy* wait_finder::first_half(const traced_copy& c) const {
  return last_ended(copies_of_buffer_.at(c.buffer.value), c.begin,
                    [&](const traced_copy& each) { return each.to == c.from && &each != &c; });
}

path_part wait_finder::end_before_wanted(const traced_copy& c) const {
  const auto any = [](const auto& /*part*/) { return true; };
  const traced_task* const task = last_ended(tasks_by_end_, c.wanted, any);
  const traced_copy* const copy =
      last_ended(copies_by_end_, c.wanted, [&](const traced_copy& each) { return &each != &c; });
  if (copy != nullptr && (task == nullptr || copy->end > task->end)) {
    return {.copy = copy, .gap = c.begin - copy->end, .behind = wait_cause::other};
  }
  if (task == nullptr) return {.gap = c.begin, .behind = wait_cause::other};
  return {.task = task, .gap = c.begin - task->end, .behind = wait_cause::other};
}

path_part wait_finder::behind(const traced_copy& c) const {
  const traced_task* const writer = writer_of(c);
  const traced_copy* const link =
      later<traced_copy>(nullptr, one_before(streams_[c.stream.value].copies, c), c.begin);
  const traced_copy* const half = first_half(c);
  const auto is_earlier = [&](const auto* part) { return part == nullptr || part->end < c.wanted; };
  if (is_earlier(writer) && is_earlier(link) && is_earlier(half)) return end_before_wanted(c);
  if (half != nullptr && (link == nullptr || half->end >= link->end) &&
      (writer == nullptr || half->end >= writer->end)) {
    return {.copy = half, .gap = c.begin - half->end, .behind = wait_cause::data};
  }
  if (link != nullptr && (writer == nullptr || link->end > writer->end)) {
    return {.copy = link, .gap = c.begin - link->end, .behind = wait_cause::link};
  }
  if (writer == nullptr) return {.gap = c.begin, .behind = wait_cause::other};
  return {.task = writer, .gap = c.begin - writer->end, .behind = wait_cause::dependence};
}

std::vector<path_part> wait_finder::critical_path() const {
  const traced_task* last = nullptr;
  for (const traced_task& t : run_.tasks) {
    if (ran(t) && (last == nullptr || t.end > last->end)) last = &t;
  }
  std::vector<path_part> made;
  std::set<const void*> seen;  // parts that take no time may stand behind one another
  path_part at{.task = last};
  while (at.task != nullptr || at.copy != nullptr) {
    const void* const key = at.task != nullptr ? static_cast<const void*>(at.task) : at.copy;
    if (!seen.insert(key).second) break;
    path_part next = at.task != nullptr ? behind(*at.task) : behind(*at.copy);
    made.push_back({.task = at.task, .copy = at.copy, .gap = next.gap, .behind = next.behind});
    at = next;
  }
  std::ranges::reverse(made);
  return made;
}

}  // namespace tools
