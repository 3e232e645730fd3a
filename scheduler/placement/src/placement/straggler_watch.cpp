// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/straggler_watch.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace hocket::placement {

namespace {

// A launch that takes no longer is no straggler, whatever was predicted.
constexpr nanoseconds least = std::chrono::milliseconds(1);
constexpr nanoseconds period = least / 2;  // between two looks

// A launch that is late is expected to take so many times as long again.
constexpr std::int64_t pessimism = 4;

}  // namespace

straggler_watch::straggler_watch(engine_state& state, device_roster& roster,
                                 task_duplicates& duplicates)
    : s_(state), roster_(roster), duplicates_(duplicates) {
  if (!s_.duplicates.is_on()) return;
  for (std::size_t i = 0; i < s_.nodes.devices.size(); ++i) {
    for (const stream_id lane : s_.nodes.devices[i].compute) {
      seen_.push_back({.stream = lane, .device = device_id{i}});
    }
  }
}

void straggler_watch::await() {
  if (std::exchange(is_settled_, false)) return;
  const auto has_commands = [&](const oldest& each) {
    return s_.commands.in_flight(each.stream) > 0;
  };
  if (std::ranges::none_of(seen_, has_commands)) return;
  is_awaited_ = true;
  s_.work.actions().emplace_back(await_time{timed_part::straggler, period});
}

void straggler_watch::time_passed() {
  is_awaited_ = false;
  bool is_settled = true;
  for (oldest& each : seen_) {
    if (s_.commands.in_flight(each.stream) > 0 && look_at(each)) is_settled = false;
  }
  is_settled_ = is_settled;
}

bool straggler_watch::look_at(oldest& seen) {
  const command_record& c = s_.commands.oldest(seen.stream);
  if (!s_.commands.is_ready(c)) {
    seen.value = 0;
    return false;
  }
  if (seen.value != c.number.value) {
    seen = {.stream = seen.stream, .device = seen.device, .value = c.number.value, .since = s_.now};
  }
  const std::optional<nanoseconds> predicted = predicted_of(c, seen.device);
  if (!predicted) return false;
  const nanoseconds used = s_.now - seen.since;
  const double limit = s_.duplicates.factor() * static_cast<double>(predicted->count());
  if (used < least || static_cast<double>(used.count()) < limit) return true;
  s_.commands.expect_more(seen.stream, pessimism * used);
  if (used >= 2 * seen.planned) {
    // Plans are made anew, which have tasks there.
    seen.planned = used;
    s_.costs.note_change();
    s_.work.mark_all_dirty();
  }
  place_elsewhere(seen.device);
  return ask_for_duplicates(seen, used);
}

/// None for the first launch of a kernel, which has no prediction worth the name and may be
/// compiled, until another launch was measured.
std::optional<nanoseconds> straggler_watch::predicted_of(const command_record& c,
                                                         device_id device) const {
  if (!c.unmeasured) return c.predicted;
  const launch_command& launch = *c.launched->launch;
  if (!s_.costs.knows(launch, device)) return std::nullopt;
  return std::max(c.predicted, s_.costs.predict(launch, device));
}

bool straggler_watch::ask_for_duplicates(const oldest& seen, nanoseconds used) {
  std::vector<placed_task*> late;
  s_.commands.each_in(seen.stream, [&](const command_record& c) {
    if (c.launched != nullptr && s_.commands.is_ready(c)) late.push_back(c.launched);
  });
  bool is_worth_a_look = false;
  for (placed_task* const t : late) {
    const auto what = duplicates_.start(*t, used);
    if (what == task_duplicates::outcome::not_yet) is_worth_a_look = true;
  }
  return is_worth_a_look;
}

/// Tasks that wait in the queue of a device with one lane.
void straggler_watch::place_elsewhere(device_id device) {
  if (s_.nodes.devices[device.value].compute.size() > 1) return;
  for (placed_task* const t : roster_.movable_at(device)) roster_.place_again(*t);
}

}  // namespace hocket::placement
