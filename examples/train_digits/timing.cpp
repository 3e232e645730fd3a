// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "timing.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <unordered_map>

#include "pipeline.hpp"

namespace train {

namespace {

using hocket::time_stamp;
using hocket::trace_record;

double seconds(hocket::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

using interval = step_window;

struct place {
  std::size_t stage = 0;
  direction way = direction::forward;
};

std::unordered_map<std::string, place> places_by_name(std::size_t stages, std::size_t micros) {
  std::unordered_map<std::string, place> places;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    for (std::size_t micro = 0; micro < micros; ++micro) {
      for (const direction way : {direction::forward, direction::backward}) {
        places[name_of(way, stage, micro)] = {stage, way};
      }
    }
  }
  return places;
}

/// The steps of which the trace has everything.
std::vector<step_window> kept_steps(const hocket::trace_snapshot& trace,
                                    const std::vector<step_window>& steps) {
  if (trace.dropped == 0 || trace.records.empty()) return steps;
  std::vector<step_window> kept;
  // Records are in the order of their ends.
  const time_stamp oldest = trace.records.front().end;
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(kept),
               [&](const step_window& step) { return step.begin >= oldest; });
  return kept;
}

/// Finds the step in which a record lies; steps.size() if in none.
std::size_t step_of(const std::vector<step_window>& steps, const trace_record& record) {
  const auto after = std::upper_bound(
      steps.begin(), steps.end(), record.begin,
      [](time_stamp begin, const step_window& step) { return begin < step.begin; });
  if (after == steps.begin() || record.begin >= std::prev(after)->end) return steps.size();
  return static_cast<std::size_t>(after - steps.begin()) - 1;
}

/// How much of the transfers' time some device runs kernels in.
double hidden_share(std::vector<const trace_record*> records) {
  std::sort(records.begin(), records.end(),
            [](const auto* left, const auto* right) { return left->begin < right->begin; });
  std::vector<interval> busy;  // disjoint, in order
  for (const trace_record* r : records) {
    if (r->kind != hocket::trace_kind::kernel) continue;
    if (busy.empty() || busy.back().end < r->begin) busy.push_back({r->begin, r->begin});
    busy.back().end = std::max(busy.back().end, r->end);
  }
  double hidden = 0, all = 0;
  for (const trace_record* r : records) {
    if (r->kind != hocket::trace_kind::transfer) continue;
    all += seconds(r->end - r->begin);
    auto at = std::upper_bound(busy.begin(), busy.end(), r->begin,
                               [](time_stamp begin, const auto& b) { return begin < b.end; });
    for (; at != busy.end() && at->begin < r->end; ++at) {
      hidden += seconds(std::min(r->end, at->end) - std::max(r->begin, at->begin));
    }
  }
  return all > 0 ? hidden / all : 1;
}

}  // namespace

pipeline_timing measure(const hocket::trace_snapshot& trace, const std::vector<step_window>& steps,
                        schedule kind, std::size_t stages, std::size_t micro_batches) {
  const std::vector<step_window> kept = kept_steps(trace, steps);
  const auto places = places_by_name(stages, micro_batches);
  std::vector<step_window> spans(kept.size(), {time_stamp::max(), time_stamp::min()});
  std::vector<const trace_record*> inside;
  pipeline_timing made;
  made.steps = kept.size();
  made.forward.assign(stages, 0);
  made.backward.assign(stages, 0);
  double busy = 0;
  for (std::size_t i = 0; i < trace.records.size(); ++i) {
    const trace_record& r = trace.records[i];
    const std::size_t step = step_of(kept, r);
    if (step == kept.size()) continue;
    inside.push_back(&r);
    const auto at = places.find(trace.record_names[i]);
    if (r.kind != hocket::trace_kind::kernel || at == places.end()) continue;
    spans[step].begin = std::min(spans[step].begin, r.begin);
    spans[step].end = std::max(spans[step].end, r.end);
    const double time = seconds(r.end - r.begin);
    busy += time;
    (at->second.way == direction::forward ? made.forward : made.backward)[at->second.stage] += time;
  }
  if (inside.empty()) return made;
  double span = 0;
  for (const step_window& step : spans) span += seconds(step.end - step.begin);
  made.bubble = 1 - busy / (static_cast<double>(stages) * span);
  const auto tasks = static_cast<double>(micro_batches * kept.size());
  for (double& time : made.forward) time /= tasks;
  for (double& time : made.backward) time /= tasks;
  made.bubble_theory = bubble(kind, made.forward, made.backward, micro_batches);
  made.transfers_hidden = hidden_share(inside);
  return made;
}

}  // namespace train
