// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "host_trace.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace hocket::detail {

host_trace::host_trace(std::size_t capacity)
    : capacity_(capacity), own_([this] { return make_ring(); }) {}

host_trace::ring* host_trace::make_ring() {
  const std::scoped_lock lock(guard_);
  return &rings_.emplace_back(capacity_);
}

void host_trace::push(const span& ran) noexcept {
  try {
    ring& own = *own_.local();
    const std::scoped_lock lock(own.guard);
    if (own.spans.full()) ++own.dropped;
    try {
      own.spans.push_back(ran);
    } catch (...) {
      ++own.dropped;
    }
  } catch (...) {
    // There is not even a ring to count in.
    return;
  }
}

void host_trace::add_to(trace_snapshot& trace) const {
  std::vector<span> spans;
  {
    const std::scoped_lock all(guard_);
    for (const ring& each : rings_) {
      const std::scoped_lock lock(each.guard);
      spans.insert(spans.end(), each.spans.begin(), each.spans.end());
      trace.dropped += each.dropped;
    }
  }
  if (spans.empty()) return;
  std::sort(spans.begin(), spans.end(),
            [](const span& a, const span& b) { return a.begin < b.begin; });
  const std::size_t first = trace.stream_names.size();
  std::vector<time_stamp> free_from;  // of each stream
  for (const span& s : spans) {
    auto row = std::find_if(free_from.begin(), free_from.end(),
                            [&](time_stamp end) { return end <= s.begin; });
    if (row == free_from.end()) row = free_from.insert(row, time_stamp{});
    *row = s.end;
    trace_record made;
    made.kind = trace_kind::host_task;
    made.device = device_id{trace.device_names.size()};
    made.stream = stream_id{first + static_cast<std::size_t>(row - free_from.begin())};
    made.begin = s.begin;
    made.end = s.end;
    trace.records.push_back(made);
    trace.record_names.emplace_back(s.label.empty() ? "task" : s.label.text());
  }
  trace.device_names.emplace_back("host tasks");
  for (std::size_t i = 0; i < free_from.size(); ++i) {
    trace.stream_names.push_back("host tasks " + std::to_string(i));
  }
}

}  // namespace hocket::detail
