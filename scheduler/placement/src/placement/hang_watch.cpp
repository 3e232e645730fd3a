// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/hang_watch.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <string>
#include <utility>

namespace hocket::placement {

namespace {

// Predictions may be wrong, and others may use the device.
constexpr std::int64_t patience = 10;

constexpr nanoseconds shortest = std::chrono::microseconds(1);  // between two looks

// Content is copied from another memory than that of a hung device, if there is one.
constexpr nanoseconds for_ever = std::chrono::hours(24);

const char* kind_of(const command_record& c) {
  if (c.copy != nullptr) return "copy";
  return c.launched != nullptr && c.launched->is_preparation ? "compilation" : "launch";
}

std::string in_seconds(nanoseconds time) {
  std::array<char, 32> text;
  const double seconds = static_cast<double>(time.count()) / 1e9;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), seconds, std::chars_format::general, 3);
  return std::string(text.data(), end.ptr) + " s";
}

}  // namespace

hang_watch::hang_watch(engine_state& state, device_roster& roster, device_drains& drains,
                       stuck_tasks& tasks, nanoseconds timeout)
    : s_(state),
      roster_(roster),
      drains_(drains),
      tasks_(tasks),
      timeout_(timeout),
      period_(std::max(timeout / looks_at_timeout, shortest)) {
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
    seen.is_given_up = false;
  }
  if (!is_ready) return;
  ++seen.looks;
  // The command was ready at the first look, and became so some time before that.
  const nanoseconds waited = (seen.looks - 1) * period_;
  if (waited < timeout_ || waited / patience < expected_on(seen.device)) return;
  seen.looks = 0;
  if (!std::exchange(seen.is_given_up, true)) {
    give_up(c, seen.device);
  } else {
    warn_of(seen.device);
    tasks_.fail(seen.device);
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
  if (std::ranges::find(told_, device) != told_.end()) return;
  told_.push_back(device);
  const std::string name = s_.nodes.devices[device.value].label_text();
  const std::string end = s_.log.is_on() ? "wait until it does" : "fail";
  s_.work.actions().emplace_back(warn{name +
                                      " is to be declared lost, but its driver does not let "
                                      "go of its commands. Tasks that need these " +
                                      end + "; others run elsewhere."});
}

void hang_watch::give_up(const command_record& c, device_id device) {
  // Commands of several streams may hang.
  if (s_.devices[device.value].state == device_state::hung) return;
  const placed_task* const t = s_.tasks.find(c.task);
  const std::string of_task =
      t == nullptr ? "" : " of task \"" + std::string(t->label_text()) + "\"";
  const std::string name = s_.nodes.devices[device.value].label_text();
  const failure why(failure_code::device_lost,
                    name + " is not used any more, because a " + kind_of(c) + of_task +
                        " does not end: it was thought to take " + in_seconds(c.predicted) +
                        ", and took more than " + in_seconds(timeout_) + ".");
  for (const oldest& each : seen_) {
    if (each.device == device) s_.commands.expect_more(each.stream, for_ever);
  }
  std::erase(told_, device);
  s_.devices[device.value].lost = why.message();
  drains_.lose(device, why);
  roster_.stop(device, device_state::hung);
  s_.work.actions().emplace_back(give_up_device{device, why});
}

}  // namespace hocket::placement
