// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/in_flight_table.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "data/seeded_bug.hpp"

namespace hocket::placement {

using detail::bug;
using detail::seeded_bug;

namespace {

timepoint_set& after_of(action& a) {
  if (auto* copy = std::get_if<issue_copy>(&a)) return copy->after;
  return std::get<issue_launch>(a).after;
}

}  // namespace

in_flight_table::in_flight_table(const machine& machine)
    : machine_(machine), streams_(machine.streams.size()), waiters_(machine.streams.size()) {}

bool in_flight_table::may_hand_over(std::size_t domain, timepoint_set& after) const {
  if (after.empty()) return true;
  after.prune([&](point t) { return done(t); });
  if (seeded_bug(bug::hand_over_early)) after.clear();
  return std::all_of(after.begin(), after.end(), [&](point t) {
    return machine_.streams[t.stream.value].domain == domain &&
           streams_[t.stream.value].handed >= t.value;
  });
}

void in_flight_table::flush_all(action_list& out) {
  for (bool progress = true; progress && unhanded_ > 0;) {
    progress = false;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      stream_state& s = streams_[i];
      while (!s.outbox.empty() &&
             may_hand_over(machine_.streams[i].domain, after_of(s.outbox.front()))) {
        out.push_back(s.outbox.take_front());
        ++s.handed;
        --unhanded_;
        progress = true;
      }
    }
  }
}

void in_flight_table::keep(stream_id stream, command_report&& report, std::function<void()> next) {
  stream_state& s = streams_[stream.value];
  s.reports.push_back(std::move(report));
  if (s.reports.size() == 1) when_done(*s.commands.front().after, std::move(next));
}

bool in_flight_table::offers_kept(stream_id stream, std::function<void()> next) {
  const stream_state& s = streams_[stream.value];
  if (s.reports.empty()) return false;
  const command_record& oldest = s.commands.front();
  if (is_ready(oldest)) return true;
  when_done(*oldest.after, std::move(next));
  return false;
}

command_report in_flight_table::take_kept(stream_id stream) {
  std::deque<command_report>& reports = streams_[stream.value].reports;
  command_report oldest = std::move(reports.front());
  reports.pop_front();
  return oldest;
}

command_record in_flight_table::end(stream_id stream, std::uint64_t value) {
  stream_state& s = streams_[stream.value];
  command_record record = s.commands.take_front();
  s.ended = value;
  s.backlog.take_away(record.predicted);
  s.late = nanoseconds{0};
  s.first_since = now_;
  if (s.commands.empty()) s.busy.go_on(now_, memory_, true);
  waiters_.wake(stream, value);
  return record;
}

command_record* in_flight_table::find(point number) {
  stream_state& s = streams_[number.stream.value];
  // Commands end in order.
  const std::uint64_t first = s.planned + 1 - s.commands.size();
  if (number.value < first || number.value > s.planned) return nullptr;
  return &s.commands[static_cast<std::size_t>(number.value - first)];
}

command_record in_flight_table::leave(stream_id stream, std::uint64_t value, time_stamp when) {
  command_record& record = apart_[{stream, value}];
  record = end(stream, value);
  record.left = when;
  return record;
}

std::optional<command_record> in_flight_table::end_apart(point number, const command_result& how) {
  const auto at = apart_.find(number);
  if (at == apart_.end()) {
    for (command_report& kept : streams_[number.stream.value].reports) {
      if (kept.value == number.value) kept = {number.value, how};
    }
    return std::nullopt;
  }
  command_record record = std::move(at->second);
  apart_.erase(at);
  return record;
}

std::vector<command_record> in_flight_table::lose(stream_id stream) {
  stream_state& s = streams_[stream.value];
  std::vector<command_record> lost;
  const auto first = apart_.lower_bound({stream, 0});
  auto last = first;
  for (; last != apart_.end() && last->first.stream == stream; ++last) lost.push_back(last->second);
  apart_.erase(first, last);
  while (!s.commands.empty()) lost.push_back(s.commands.take_front());
  unhanded_ -= s.outbox.size();
  s.outbox.clear();
  s.reports.clear();
  s.backlog.clear();
  s.late = nanoseconds{0};
  s.lost = true;
  ++moments_;  // the stream is idle now, and the time until now does not count as busy
  waiters_.wake(stream, std::numeric_limits<std::uint64_t>::max());
  return lost;
}

bool in_flight_table::all_done(const timepoint_set& points) const {
  return std::all_of(points.begin(), points.end(), [&](point t) { return done(t); });
}

std::size_t in_flight_table::in_flight() const {
  std::size_t sum = apart_.size();
  for (const stream_state& s : streams_) sum += s.commands.size();
  return sum;
}

}  // namespace hocket::placement
