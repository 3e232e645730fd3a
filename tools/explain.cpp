// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "explain.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/json.hpp>

#include <hocket/core/error.hpp>

#include "common/command_line.hpp"
#include "explain_findings.hpp"
#include "explain_what_if.hpp"
#include "output.hpp"

namespace tools {

namespace {

void explain_task(const explanation& asked, const recorded_run& run, const wait_finder& waits) {
  const auto found = tasks_called(run, asked.task);
  if (found.empty()) {
    throw hocket::usage_error(
        fmt::format("--task is \"{}\"; the trace \"{}\" has no task with that name or id.",
                    asked.task, asked.trace));
  }
  if (asked.json) {
    boost::json::array all;
    for (const hocket::traced_task* const each : found) {
      all.push_back(task_json(run, waits, *each));
    }
    return print(boost::json::object{{"tasks", std::move(all)}});
  }
  std::string text = task_text(run, waits, *found.front());
  if (found.size() > 1) {
    constexpr std::size_t most_ids = 10;
    std::vector<std::uint64_t> ids;
    for (const auto* const each : found) ids.push_back(each->id.value);
    ids.resize(std::min(ids.size(), most_ids));
    text +=
        fmt::format("\n{} tasks have this name, and this is the first. The ids begin with {}.\n",
                    found.size(), fmt::join(ids, ", "));
  }
  print(text);
}

}  // namespace

CLI::App& add_explain(CLI::App& app, explanation& into) {
  CLI::App& command =
      *app.add_subcommand("explain", "Say why the tasks of a run ran where and when they did");
  command
      .add_option("trace", into.trace, "A trace that HOCKET_TRACE or trace_decisions has written")
      ->required()
      ->type_name("TRACE");
  CLI::Option* const task =
      examples::add_text(command, "--task", into.task, "Tell everything about one task");
  task->type_name("NAME|ID");
  command
      .add_flag("--what-if", into.what_if,
                "Simulate the run again, and tell what it would take on other machines")
      ->excludes(task);
  command.add_flag("--json", into.json, "Print JSON");
  return command;
}

void explain(const explanation& asked) {
  const recorded_run run = read_trace(asked.trace);
  const wait_finder waits(run);
  if (!asked.task.empty()) return explain_task(asked, run, waits);
  if (asked.what_if) {
    const what_if_answer answer = ask_what_if(run);
    if (asked.json) return print(what_if_json(answer));
    return print(what_if_text(answer));
  }
  const run_findings found = find_in(run, waits);
  if (asked.json) {
    print(run_json(run, waits, found));
  } else {
    print(run_text(run, waits, found));
  }
}

}  // namespace tools
