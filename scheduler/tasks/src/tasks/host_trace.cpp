// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "tasks/host_trace.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <hocket/scheduler/detail/host_context.hpp>

namespace hocket::detail {

host_trace::host_trace(std::size_t capacity, const executor& clock)
    : capacity_(capacity), clock_(clock), own_([this] { return make_ring(); }) {}

host_trace::ring* host_trace::make_ring() {
  const std::scoped_lock lock(guard_);
  return &rings_.emplace_back(capacity_);
}

void host_trace::push(const task_label& label, std::int64_t begin) noexcept {
  const std::int64_t end = clock_.ticks();
  try {
    own_.local()->push(label.text(), begin, end);
  } catch (...) {
    // There is not even a ring to count in.
    return;
  }
}

void host_trace::add_to(trace_snapshot& trace) const {
  std::vector<ring::span> spans;
  {
    const std::scoped_lock all(guard_);
    for (const ring& each : rings_) {
      std::vector<ring::span> kept = each.read();
      if (kept.empty()) continue;
      trace.dropped += kept.back().number + 1 - kept.size();
      std::move(kept.begin(), kept.end(), std::back_inserter(spans));
    }
  }
  if (spans.empty()) return;
  std::sort(spans.begin(), spans.end(),
            [](const ring::span& a, const ring::span& b) { return a.begin < b.begin; });
  const tick_scale scale = clock_.scale_of_ticks();
  const std::size_t first = trace.stream_names.size();
  std::vector<std::int64_t> free_from;  // of each stream
  for (ring::span& s : spans) {
    auto row = std::find_if(free_from.begin(), free_from.end(),
                            [&](std::int64_t end) { return end <= s.begin; });
    if (row == free_from.end()) row = free_from.insert(row, 0);
    *row = s.end;
    trace_record made;
    made.kind = trace_kind::host_task;
    made.device = device_id{trace.device_names.size()};
    made.stream = stream_id{first + static_cast<std::size_t>(row - free_from.begin())};
    made.begin = scale.time_of(s.begin);
    made.end = scale.time_of(s.end);
    trace.records.push_back(made);
    trace.record_names.emplace_back(s.name.empty() ? "task" : std::move(s.name));
  }
  trace.device_names.emplace_back("host tasks");
  for (std::size_t i = 0; i < free_from.size(); ++i) {
    trace.stream_names.push_back("host tasks " + std::to_string(i));
  }
}

}  // namespace hocket::detail
