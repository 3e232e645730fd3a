// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "schedule.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include <hocket/core/error.hpp>

namespace train {

namespace {

constexpr double not_yet = -1;

/// When each micro-batch's task of one direction ends, for each stage.
using end_times = std::vector<std::vector<double>>;

struct timetable {
  end_times forward;
  end_times backward;
};

struct stage_state {
  std::vector<pipeline_task> order;
  std::size_t done = 0;
  double free_at = 0;
};

/// When the data of a task are there; nothing if that is not known yet.
std::optional<double> ready_at(const timetable& ends, std::size_t stage,
                               const pipeline_task& task) {
  double latest = 0;
  const auto after = [&](const end_times& times, std::size_t of) {
    const double end = times[of][task.micro_batch];
    latest = end == not_yet || latest == not_yet ? not_yet : std::max(latest, end);
  };
  if (task.way == direction::forward) {
    if (stage > 0) after(ends.forward, stage - 1);
  } else {
    after(ends.forward, stage);
    if (stage + 1 < ends.backward.size()) after(ends.backward, stage + 1);
  }
  if (latest == not_yet) return std::nullopt;
  return latest;
}

/// Runs the tasks of a stage for which everything is known. Says whether there were any.
bool advance(stage_state& state, timetable& ends, std::size_t stage, double forward,
             double backward) {
  const std::size_t before = state.done;
  for (; state.done < state.order.size(); ++state.done) {
    const pipeline_task& task = state.order[state.done];
    const std::optional<double> ready = ready_at(ends, stage, task);
    if (!ready) break;
    const bool ahead = task.way == direction::forward;
    state.free_at = std::max(state.free_at, *ready) + (ahead ? forward : backward);
    (ahead ? ends.forward : ends.backward)[stage][task.micro_batch] = state.free_at;
  }
  return state.done != before;
}

double sum(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

std::string_view to_string(schedule kind) noexcept {
  switch (kind) {
    case schedule::none:
      return "none";
    case schedule::gpipe:
      return "gpipe";
    case schedule::one_f_one_b:
      return "1f1b";
  }
  return "unknown";
}

std::int64_t priority(schedule kind, std::size_t stage, std::size_t stages, std::size_t micro_batch,
                      direction way) noexcept {
  const auto micro = static_cast<std::int64_t>(micro_batch);
  const auto behind = static_cast<std::int64_t>(stages - stage);
  // Later than every forward task there can be.
  constexpr std::int64_t after_all = std::int64_t{1} << 40;
  switch (kind) {
    case schedule::none:
      return 0;
    case schedule::gpipe:
      return way == direction::forward ? -micro : -(after_all + micro);
    case schedule::one_f_one_b:
      // Target times in half slots: forward at i, backward at i + behind - 1/2.
      return way == direction::forward ? -2 * micro : -(2 * (micro + behind) - 1);
  }
  return 0;
}

std::size_t slots(schedule kind, std::size_t stage, std::size_t stages,
                  std::size_t micro_batches) noexcept {
  switch (kind) {
    case schedule::none:
      return 1;
    case schedule::gpipe:
      return micro_batches;
    case schedule::one_f_one_b:
      return std::min(stages - stage, micro_batches);
  }
  return micro_batches;
}

std::vector<pipeline_task> stage_order(schedule kind, std::size_t stage, std::size_t stages,
                                       std::size_t micro_batches) {
  std::vector<pipeline_task> order;
  for (std::size_t micro = 0; micro < micro_batches; ++micro) {
    order.push_back({direction::forward, micro});
    order.push_back({direction::backward, micro});
  }
  std::stable_sort(order.begin(), order.end(), [&](const auto& left, const auto& right) {
    return priority(kind, stage, stages, left.micro_batch, left.way) >
           priority(kind, stage, stages, right.micro_batch, right.way);
  });
  return order;
}

double makespan(schedule kind, std::span<const double> forward, std::span<const double> backward,
                std::size_t micro_batches) {
  const std::size_t stages = forward.size();
  if (stages == 0 || backward.size() != stages || micro_batches == 0) {
    throw hocket::usage_error(fmt::format(
        "A pipeline has {} forward times, {} backward times and {} micro-batches; it needs as many "
        "of the first as of the second, and at least one of each.",
        stages, backward.size(), micro_batches));
  }
  // Without a pipeline nothing overlaps: the one slot of the first stage is free again only when
  // the micro-batch has come all the way back.
  if (kind == schedule::none) {
    return static_cast<double>(micro_batches) * (sum(forward) + sum(backward));
  }
  const end_times nothing(stages, std::vector<double>(micro_batches, not_yet));
  timetable ends{nothing, nothing};
  std::vector<stage_state> states;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    states.push_back({stage_order(kind, stage, stages, micro_batches)});
  }
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t stage = 0; stage < stages; ++stage) {
      moved |= advance(states[stage], ends, stage, forward[stage], backward[stage]);
    }
  }
  double last = 0;
  for (const stage_state& state : states) last = std::max(last, state.free_at);
  return last;
}

double bubble(schedule kind, std::span<const double> forward, std::span<const double> backward,
              std::size_t micro_batches) {
  const double time = makespan(kind, forward, backward, micro_batches);
  const double busy = static_cast<double>(micro_batches) * (sum(forward) + sum(backward));
  return time > 0 ? 1 - busy / (static_cast<double>(forward.size()) * time) : 0;
}

}  // namespace train
