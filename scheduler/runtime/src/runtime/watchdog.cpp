// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/watchdog.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include <hocket/core/environment.hpp>
#include <hocket/core/error.hpp>

namespace hocket {

namespace {

std::string line_of(const pending_task& task) {
  std::string line = task.label.empty() ? "a task without a label" : "\"" + task.label + "\"";
  switch (task.state) {
    case pending_state::waiting:
      line += task.waits_for.empty() ? " waits" : " waits for ";
      break;
    case pending_state::ready:
      line += task.waits_for.empty() ? " is ready" : " is ready, and waits for ";
      break;
    case pending_state::running:
      line += task.waits_for.empty() ? " runs" : " runs, and waits for ";
      break;
  }
  constexpr std::size_t max_named = 8;
  for (std::size_t i = 0; i < task.waits_for.size() && i < max_named; ++i) {
    line += (i == 0 ? "" : ", ") + task.waits_for[i];
  }
  if (task.waits_for.size() > max_named) {
    line += " and " + std::to_string(task.waits_for.size() - max_named) + " more";
  }
  if (!task.device.empty()) line += " (" + task.device + ")";
  return line;
}

}  // namespace

std::string to_string(const pending_report& report) {
  constexpr std::size_t max_lines = 50;
  std::string text;
  for (std::size_t i = 0; i < report.tasks.size() && i < max_lines; ++i) {
    text += line_of(report.tasks[i]) + "\n";
  }
  for (std::size_t i = 0; i < report.awaited_outside.size() && i < max_lines; ++i) {
    text += "a thread outside of tasks waits for " + report.awaited_outside[i] + "\n";
  }
  for (std::size_t i = 0; i < report.compiled.size() && i < max_lines; ++i) {
    text += report.compiled[i].device + " compiles kernel \"" + report.compiled[i].kernel + "\"\n";
  }
  const std::size_t listed = std::min(report.tasks.size(), max_lines);
  if (report.unfinished > listed) {
    text += std::to_string(report.unfinished - listed) + " more have not ended\n";
  }
  return text;
}

}  // namespace hocket

namespace hocket::detail {

watchdog::watchdog(nanoseconds patience, list_pending list)
    : patience_(patience), list_(std::move(list)) {
  look_later();
}

nanoseconds watchdog::patience_of(nanoseconds option) {
  if (option < nanoseconds::zero()) {
    throw usage_error("runtime_options::watchdog is " + std::to_string(option.count()) +
                      " ns; it is a time, or zero for none.");
  }
  if (option != nanoseconds::zero()) return option;
  const auto text = environment_variable("HOCKET_WATCHDOG");
  return text ? parse_duration("HOCKET_WATCHDOG", *text) : nanoseconds::zero();
}

void watchdog::look_later() {
  thread_.post_at(pump::clock::now() + patience_ / 4, [this] {
    look();
    look_later();
  });
}

void watchdog::look() {
  const auto now = pump::clock::now();
  // Relaxed: see count_end().
  const std::uint64_t ended = ended_.load(std::memory_order_relaxed);
  if (std::exchange(ended_before_, ended) != ended) {
    last_end_ = now;
    said_.clear();
    return;
  }
  if (now - last_end_ < patience_) return;
  const pending_report report = list_();
  if (report.unfinished == 0) {
    last_end_ = now;
    return;
  }
  std::string text = to_string(report);
  if (text == said_) return;
  said_ = std::move(text);
  const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(now - last_end_);
  std::string lines = "hocket: no task has ended for " + std::to_string(waited.count()) +
                      " ms, and these are pending:\n";
  for (const std::string& line : split(said_, '\n')) {
    if (!line.empty()) lines += "hocket:   " + line + "\n";
  }
  std::fputs(lines.c_str(), stderr);
}

}  // namespace hocket::detail
