// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/run_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <hocket/core/environment.hpp>

#include "data/in_place_runtime.hpp"
#include "runtime/device_connection.hpp"
#include "runtime/event_pump.hpp"

namespace hocket {

namespace detail {

namespace {

runtime_report with_devices(const std::vector<device_info>& infos,
                            const std::vector<device_statistics>& all) {
  runtime_report made;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const device_statistics& s = all[i];
    made.devices.push_back({.name = infos[i].name,
                            .backend = infos[i].backend,
                            .lanes = infos[i].lanes,
                            .alive = s.state < device_state::lost,
                            .state = s.state,
                            .kernels = s.kernels,
                            .flops = s.flops,
                            .busy = s.busy,
                            .bytes_in = s.bytes_in,
                            .bytes_out = s.bytes_out,
                            .peak_bytes = s.peak_bytes,
                            .used_bytes = s.used_bytes,
                            .memory_bytes = s.memory_bytes,
                            .queued = s.queued,
                            .in_flight = s.in_flight,
                            .idle = s.idle});
  }
  return made;
}

}  // namespace

runtime_report report_of(device_connection& devices, event_pump& events, report_detail how_much) {
  const std::vector<device_info>& infos = devices.machine().infos();
  if (const in_place_runtime* const in_place = devices.in_place()) {
    return with_devices(infos, {in_place->statistics()});
  }
  std::vector<device_statistics> all;
  placement::run_times times;
  std::size_t repeated = 0, batched = 0;
  placement::recovery_counts recoveries;
  placement::duplicate_counts duplicates;
  std::optional<placement::device_prices> program;
  events.inspect([&](const placement::engine& e) {
    for (std::size_t i = 0; i < infos.size(); ++i) all.push_back(e.statistics(device_id{i}));
    times = e.state().times;
    repeated = e.state().schedules.repeated();
    recoveries = e.state().losses.counts;
    batched = e.state().schedules.batched();
    duplicates = e.state().duplicates.counts;
    if (how_much == report_detail::all) program = e.program_of_done();
  });
  runtime_report made = with_devices(infos, all);
  made.makespan = times.makespan();
  // The bounds are sums of rounded times, and devices on the same cores may do more than their
  // shares.
  const auto most = static_cast<double>(made.makespan.count());
  if (program) {
    // Here, so that no task waits for that.
    program->solve_bound();
    made.area_bound = nanoseconds(std::llround(std::min(program->bound(), most)));
  }
  made.critical_path = std::min(times.longest_chain(), made.makespan);
  made.repeated_runs = repeated;
  made.batched_runs = batched;
  made.duplicates = duplicates.started;
  made.duplicates_won = duplicates.won;
  made.recoveries = recoveries.recovered;
  made.given_up = recoveries.given_up;
  made.repeated_tasks = recoveries.repeated;
  made.retried_commands = recoveries.retried;
  made.quarantines = recoveries.quarantined;
  made.readmissions = recoveries.readmitted;
  if (devices.faults() != nullptr) made.faults = devices.faults()->counts();
  if (devices.checks() != nullptr) made.copies = devices.checks()->counts();
  return made;
}

runtime_counters device_counters(device_connection& devices, event_pump& events) {
  runtime_counters made;
  // A program that uses no device does not pay for drivers.
  if (!devices.is_connected()) return made;
  const std::vector<device_info>& infos = devices.machine().infos();
  if (const in_place_runtime* const in_place = devices.in_place()) {
    made.devices = with_devices(infos, {in_place->statistics()}).devices;
    return made;
  }
  made.are_placed = true;
  std::vector<device_statistics> all;
  events.inspect([&](const placement::engine& e) {
    for (std::size_t i = 0; i < infos.size(); ++i) all.push_back(e.statistics(device_id{i}));
  });
  made.devices = with_devices(infos, all).devices;
  return made;
}

namespace {

double in_milliseconds(nanoseconds time) { return static_cast<double>(time.count()) / 1e6; }

/// "; idle 12 ms for data, 3 ms for lack of tasks", of causes that matter.
std::string idle_text(const device_idle& idle, nanoseconds makespan) {
  struct named_cause {
    nanoseconds time;
    const char* name;
  };
  const named_cause causes[] = {{idle.no_task, "for lack of tasks"},
                                {idle.data, "for data"},
                                {idle.memory, "for memory"},
                                {idle.choice, "while tasks waited for other devices"},
                                {idle.turn, "for their turn"}};
  std::string text;
  for (const named_cause& each : causes) {
    if (each.time < makespan / 100) continue;
    // Not as a share: tasks may be pending before the first kernel begins and after the last ends.
    text += (text.empty() ? "; idle " : ", ") +
            fmt::format("{:.3g} ms ", in_milliseconds(each.time)) + each.name;
  }
  return text;
}

std::string device_text(const device_report& of, nanoseconds makespan) {
  std::string text = of.name + " " + std::to_string(of.kernels);
  if (of.state != device_state::in_use) text += " (" + std::string(to_string(of.state)) + ")";
  if (makespan <= nanoseconds{0}) return text;
  const double whole = in_milliseconds(makespan) * static_cast<double>(of.lanes);
  return text + fmt::format(" ({:.0f} % busy", 100 * in_milliseconds(of.busy) / whole) +
         idle_text(of.idle, makespan) + ")";
}

}  // namespace

}  // namespace detail

std::string summary(const runtime_report& report) {
  std::uint64_t kernels = 0;
  std::string devices;
  for (const device_report& each : report.devices) {
    kernels += each.kernels;
    devices += (devices.empty() ? "" : ", ") + detail::device_text(each, report.makespan);
  }
  if (report.devices.empty() && report.makespan <= nanoseconds{0}) devices = "no device was used";
  std::string text = std::to_string(kernels) + " kernels";
  if (report.makespan > nanoseconds{0}) {
    text += fmt::format(" in {:.3g} ms", detail::in_milliseconds(report.makespan));
  }
  if (report.bound() > nanoseconds{0}) {
    text += fmt::format(", {:.2f} times the bound", detail::in_milliseconds(report.makespan) /
                                                        detail::in_milliseconds(report.bound()));
    text += fmt::format(" (area {:.3g} ms", detail::in_milliseconds(report.area_bound));
    text +=
        fmt::format(", critical path {:.3g} ms)", detail::in_milliseconds(report.critical_path));
  }
  text += ": " + devices;
  if (report.repeated_runs > 0) {
    text += "; runs of graphs that repeated a schedule: " + std::to_string(report.repeated_runs);
    if (report.batched_runs > 0) {
      text += ", in batches: " + std::to_string(report.batched_runs);
    }
  }
  if (report.duplicates > 0) {
    text += "; launches that took too long and were run a second time: " +
            std::to_string(report.duplicates) +
            ", of which ended first: " + std::to_string(report.duplicates_won);
  }
  if (report.retried_commands > 0) {
    text +=
        "; commands that failed and were tried again: " + std::to_string(report.retried_commands);
  }
  if (report.quarantines > 0) {
    text += "; devices quarantined: " + std::to_string(report.quarantines) +
            ", and used again: " + std::to_string(report.readmissions);
  }
  if (report.recoveries > 0) {
    text += "; recoveries: " + std::to_string(report.recoveries) + ", with " +
            std::to_string(report.repeated_tasks) + " tasks repeated";
  }
  if (report.copies.checked > 0) {
    text += "; copies compared: " + std::to_string(report.copies.checked) +
            ", of which differed: " + std::to_string(report.copies.corrupted);
  }
  if (report.faults.total() > 0) text += "; faults injected: " + to_string(report.faults);
  if (report.given_up > 0) text += "; not recovered from: " + std::to_string(report.given_up);
  return text;
}

namespace detail {

bool wants_summary() {
  const std::string asked = environment_variable("HOCKET_SUMMARY").value_or("");
  return !asked.empty() && asked != "0";
}

void print_summary(device_connection& devices, event_pump& events) noexcept {
  if (!wants_summary()) return;
  // A runtime that ran functions alone does not connect devices for that.
  const runtime_report report =
      devices.is_connected() ? report_of(devices, events) : runtime_report{};
  const std::string text = summary(report);
  std::fprintf(stderr, "hocket: %s\n", text.c_str());
}

}  // namespace detail

}  // namespace hocket
