// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <hocket/core/printable.hpp>

#include "explain_findings.hpp"
#include "output.hpp"

namespace tools {

namespace {

using hocket::nanoseconds;
using hocket::traced_candidate;
using hocket::traced_task;
using rows = std::vector<std::vector<std::string>>;

constexpr std::size_t most_lines_of_path = 40;

std::string title(const traced_task& of) { return fmt::format("{} ({})", of.name, of.id.value); }

std::string place_of(const recorded_run& run, const traced_task& of) {
  if (of.device.valid()) return run.name_of(of.device);
  return of.kind == hocket::traced_kind::launch ? "none" : "host";
}

std::string memory_name(const recorded_run& run, hocket::memory_id memory) {
  const auto at = std::ranges::find(run.memories, memory);
  if (memory.value == 0 || at == run.memories.end()) return "host";
  return run.devices[static_cast<std::size_t>(at - run.memories.begin())].name;
}

std::string percent(nanoseconds part, nanoseconds whole) {
  if (whole <= nanoseconds{0}) return "-";
  return fmt::format("{:.0f} %",
                     100 * static_cast<double>(part.count()) / static_cast<double>(whole.count()));
}

std::string devices_text(const recorded_run& run) {
  rows made{{"DEVICE", "KERNELS", "BUSY", "IN", "OUT", "IDLE: NO TASK", "DATA", "MEMORY",
             "OTHER DEVICE", "TURN"}};
  for (std::size_t i = 0; i < run.devices.size(); ++i) {
    const hocket::device_report& of = run.report.devices[i];
    const auto lanes = static_cast<std::int64_t>(run.devices[i].lanes);
    const auto bytes = [](std::uint64_t count) { return count == 0 ? "0" : bytes_text(count); };
    made.push_back({run.devices[i].name + (of.alive ? "" : " (lost)"), fmt::to_string(of.kernels),
                    percent(of.busy / lanes, run.report.makespan), bytes(of.bytes_in),
                    bytes(of.bytes_out), time_text(of.idle.no_task), time_text(of.idle.data),
                    time_text(of.idle.memory), time_text(of.idle.choice), time_text(of.idle.turn)});
  }
  return table(made);
}

std::string choices_text(const run_findings& found) {
  static constexpr std::array<const char*, 7> texts{"without a device",
                                                    "by the policy",
                                                    "named by their options",
                                                    "for lack of another device",
                                                    "behind a task before them",
                                                    "taken by an idle device",
                                                    "as in an earlier run of their graph"};
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (found.chosen[i] > 0) parts.push_back(fmt::format("{} {}", found.chosen[i], texts[i]));
  }
  return fmt::format("Devices were chosen: {}.\n", fmt::join(parts, ", "));
}

std::string bound_text(const recorded_run& run) {
  const hocket::runtime_report& of = run.report;
  std::string text = fmt::format("Makespan {}", time_text(of.makespan));
  if (of.bound() > nanoseconds{0}) {
    text += fmt::format(
        ", {:.2f} times the bound (area {}, critical path {})",
        static_cast<double>(of.makespan.count()) / static_cast<double>(of.bound().count()),
        time_text(of.area_bound), time_text(of.critical_path));
  }
  return text + ".\n";
}

std::vector<std::string> path_row(const recorded_run& run, const path_part& part) {
  const std::string gap = part.gap > nanoseconds{0} ? time_text(part.gap) : "";
  const std::string behind(names_of_causes[static_cast<std::size_t>(part.behind)]);
  if (part.task != nullptr) {
    const traced_task& t = *part.task;
    return {
        time_text(t.begin), time_text(t.end - t.begin), gap, behind, place_of(run, t), title(t)};
  }
  const hocket::traced_copy& c = *part.copy;
  return {time_text(c.begin),
          time_text(c.end - c.begin),
          gap,
          behind,
          memory_name(run, c.from) + " to " + memory_name(run, c.to),
          fmt::format("copy of {} of \"{}\"", bytes_text(c.bytes), run.label_of(c.buffer))};
}

std::string path_text(const recorded_run& run, const std::vector<path_part>& path) {
  if (path.empty()) return "No task ran on a device.\n";
  nanoseconds tasks{0}, copies{0}, gaps{0};
  rows made{{"AT", "TOOK", "AFTER A GAP OF", "BEHIND", "WHERE", "WHAT"}};
  for (std::size_t i = 0; i < path.size(); ++i) {
    const path_part& part = path[i];
    gaps += part.gap;
    if (part.task != nullptr) tasks += part.task->end - part.task->begin;
    if (part.copy != nullptr) copies += part.copy->end - part.copy->begin;
    const bool is_left_out = path.size() > most_lines_of_path && i >= most_lines_of_path / 2 &&
                             i + most_lines_of_path / 2 < path.size();
    if (!is_left_out) made.push_back(path_row(run, part));
    if (is_left_out && i == most_lines_of_path / 2) {
      made.push_back(
          {"...", "", "", "", "", fmt::format("{} more", path.size() - most_lines_of_path)});
    }
  }
  return fmt::format("What the end of the run waited for: tasks {}, copies {}, gaps {}.\n",
                     time_text(tasks), time_text(copies), time_text(gaps)) +
         table(made);
}

std::string worst_text(const recorded_run& run, const wait_finder& waits,
                       const run_findings& found) {
  std::string text;
  if (!found.mispredicted.empty()) {
    rows made{{"BEYOND ITS PREDICTION", "DEVICE", "PREDICTED", "TOOK"}};
    for (const traced_task* const t : found.mispredicted) {
      made.push_back(
          {title(*t), place_of(run, *t), time_text(t->predicted), time_text(t->end - t->begin)});
    }
    text += table(made) + "\n";
  }
  rows made{{"WAITED LONGEST FOR", "TASK", "DEVICE", "TIME"}};
  for (std::size_t i = 0; i < found.longest.size(); ++i) {
    const traced_task* const t = found.longest[i];
    if (t == nullptr) continue;
    made.push_back({std::string(names_of_causes[i]), title(*t), place_of(run, *t),
                    time_text(waits.waits_of(*t).by_cause[i])});
  }
  return text + (made.size() > 1 ? table(made) : "No task waited.\n");
}

std::string candidates_text(const recorded_run& run, const traced_task& of) {
  rows made{
      {"", "DEVICE", "RUNS", "DATA THERE", "ENDS", "TO COPY", "LINKS", "STAYING", "PRICE", "SUM"}};
  for (const traced_candidate& c : of.candidates) {
    made.push_back({c.device == of.device ? "*" : "", run.name_of(c.device), time_text(c.time),
                    time_text(c.arrival), time_text(c.end),
                    c.bytes == 0 ? "0" : bytes_text(c.bytes), time_text(c.links),
                    time_text(c.staying), time_text(c.price), time_text(sum_of(c))});
  }
  return made.size() > 1 ? "\nCandidates, by what was predicted when it was chosen:\n" + table(made)
                         : "";
}

/// Such as "0-4, 8-16", without the ends.
std::string region_text(const hocket::traced_access& of) {
  if (of.begin.empty()) return "all";
  std::string text;
  for (std::size_t i = 0; i < of.begin.size(); ++i) {
    text += fmt::format("{}{}-{}", i == 0 ? "" : ", ", of.begin[i], of.end[i]);
  }
  return text;
}

std::string accesses_text(const recorded_run& run, const traced_task& of) {
  rows made{{"USES", "", "BYTES", "REGION"}};
  for (const hocket::traced_access& a : of.accesses) {
    const char* const how = !hocket::writes_content(a.mode) ? "reads"
                            : hocket::reads_content(a.mode) ? "updates"
                                                            : "writes";
    made.push_back({how, fmt::format("\"{}\" ({})", run.label_of(a.buffer), a.buffer.value),
                    a.bytes == 0 ? "0" : bytes_text(a.bytes), region_text(a)});
  }
  return made.size() > 1 ? "\n" + table(made) : "";
}

}  // namespace

std::string run_text(const recorded_run& run, const wait_finder& waits, const run_findings& found) {
  std::string text = fmt::format("{} tasks and {} copies by the policy {}, on the {} clock.\n",
                                 run.tasks.size(), run.copies.size(), hocket::in_quotes(run.policy),
                                 run.is_virtual ? "virtual" : "real");
  if (run.dropped > 0) {
    text += fmt::format(
        "The trace had no room for {} older tasks and copies: what follows is of the rest.\n",
        run.dropped);
  }
  return text + bound_text(run) + "\n" + devices_text(run) + "\n" + choices_text(found) + "\n" +
         path_text(run, found.path) + "\n" + worst_text(run, waits, found);
}

std::string task_text(const recorded_run& run, const wait_finder& waits, const traced_task& of) {
  const task_waits waited = waits.waits_of(of);
  rows made{{"Task", title(of)}};
  if (of.kind == hocket::traced_kind::launch) {
    made.push_back({"kernel", of.kernel});
    made.push_back({"device", fmt::format("{}: {}", place_of(run, of), why_text(run, of))});
  } else {
    made.push_back({"kind", "the program looks at data"});
  }
  const auto add = [&](const char* name, nanoseconds time) {
    made.push_back({name, time_text(time)});
  };
  add("submitted", of.submitted);
  add("ready", of.ready);
  if (of.device.valid()) add("device chosen", of.chosen);
  if (of.device.valid()) add("committed", of.committed);
  add("issued", of.issued);
  add("began", of.begin);
  add("ended", of.end);
  if (ran(of)) {
    made.push_back({"took", fmt::format("{}, predicted {}", time_text(of.end - of.begin),
                                        time_text(of.predicted))});
  }
  for (std::size_t i = 0; i < names_of_causes.size(); ++i) {
    if (waited.by_cause[i] <= nanoseconds{0}) continue;
    made.push_back(
        {fmt::format("waited for {}", names_of_causes[i]), time_text(waited.by_cause[i])});
  }
  std::vector<std::string> before;
  for (const hocket::task_id id : of.after) {
    const traced_task* const found = run.find(id);
    before.push_back(found == nullptr ? fmt::to_string(id.value) : title(*found));
  }
  if (!before.empty()) made.push_back({"came after", fmt::format("{}", fmt::join(before, ", "))});
  if (of.failed) made.push_back({"failed", "yes"});
  return table(made) + candidates_text(run, of) + accesses_text(run, of);
}

}  // namespace tools
