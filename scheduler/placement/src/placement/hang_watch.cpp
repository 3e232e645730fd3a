// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/hang_watch.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

namespace hocket::placement {

namespace {

// Predictions may be wrong, and others may use the device.
constexpr std::int64_t patience = 10;

constexpr nanoseconds shortest = std::chrono::microseconds(1);  // between two looks

const char* kind_of(const command_record& c) {
  if (c.copy != nullptr) return "copy";
  return c.launched != nullptr && c.launched->is_preparation ? "compilation" : "launch";
}

std::string in_seconds(nanoseconds time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", static_cast<double>(time.count()) / 1e9);
  return text;
}

}  // namespace

hang_watch::hang_watch(engine_state& state, nanoseconds timeout)
    : s_(state), timeout_(timeout), period_(std::max(timeout / looks_at_timeout, shortest)) {
  for (std::size_t i = 0; i < s_.nodes.streams.size(); ++i) {
    const auto device = s_.nodes.streams[i].device;
    const bool is_of_host = device && s_.nodes.devices[device->value].runs_host_tasks;
    if (device && !is_of_host) seen_.push_back({.stream = stream_id{i}, .device = *device});
  }
}

bool hang_watch::has_commands(const oldest& of) const {
  return !s_.commands.is_lost(of.stream) && s_.commands.load(of.stream).in_flight > 0;
}

void hang_watch::await() {
  const auto has = [&](const oldest& each) { return has_commands(each); };
  if (std::ranges::none_of(seen_, has)) return;
  is_awaited_ = true;
  s_.work.actions().emplace_back(await_time{timed_part::hang, period_});
}

void hang_watch::time_passed() {
  is_awaited_ = false;
  for (oldest& each : seen_) {
    if (has_commands(each)) look_at(each, s_.commands.oldest(each.stream));
  }
}

void hang_watch::look_at(oldest& seen, const command_record& c) {
  const bool is_ready = s_.commands.is_ready(c);
  if (seen.value != c.number.value || !is_ready) {
    seen.value = c.number.value;
    seen.looks = 0;
    seen.times_given_up = 0;
  }
  if (!is_ready) return;
  ++seen.looks;
  // The command was ready at the first look, and became so some time before that.
  const nanoseconds waited = (seen.looks - 1) * period_;
  if (waited < timeout_ || waited / patience < expected_on(seen.device)) return;
  seen.looks = 0;
  if (++seen.times_given_up == 1) {
    give_up(c, seen.device);
  } else if (seen.times_given_up == 2) {
    warn_of(seen.device);
    ++seen.times_given_up;
  }
}

/// Streams of one device may hold up one another in its driver.
nanoseconds hang_watch::expected_on(device_id device) const {
  nanoseconds sum{0};
  for (const oldest& each : seen_) {
    if (each.device != device || !has_commands(each)) continue;
    sum += s_.commands.oldest(each.stream).predicted;
  }
  return sum;
}

/// The loss is told once the driver lets go of its commands, whose memory it may still use.
void hang_watch::warn_of(device_id device) {
  const auto is_told = [&](const oldest& each) {
    return each.device == device && each.times_given_up > 2;
  };
  if (std::ranges::any_of(seen_, is_told)) return;
  const std::string name = s_.nodes.devices[device.value].label_text();
  s_.work.actions().emplace_back(warn{name + " is to be declared lost, but its driver does not let "
                                             "go of its commands. Until it does, what they "
                                             "use is given to no other task, and tasks wait."});
}

void hang_watch::give_up(const command_record& c, device_id device) {
  const placed_task* const t = s_.tasks.find(c.task);
  const std::string of_task =
      t == nullptr ? "" : " of task \"" + std::string(t->label_text()) + "\"";
  const std::string name = s_.nodes.devices[device.value].label_text();
  s_.work.actions().emplace_back(give_up_device{
      device, failure(failure_code::device_lost,
                      name + " is not used any more, because a " + kind_of(c) + of_task +
                          " does not end: it was thought to take " + in_seconds(c.predicted) +
                          ", and took more than " + in_seconds(timeout_) + ".")});
}

}  // namespace hocket::placement
