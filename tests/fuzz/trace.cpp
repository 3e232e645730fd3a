// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Any text is a trace with decisions or is refused by its name; all that `hocket explain` says of a
// trace can be said of any that was read, in lines that do not move the cursor, and the machine it
// tells of can be written and read.

#include <boost/json.hpp>

#include "explain_findings.hpp"
#include "explain_kernels.hpp"
#include "explain_trace.hpp"
#include "fuzz.hpp"

namespace {

void require_lines(std::string_view text) {
  const auto moves = [](char c) { return c >= 0 && c < ' ' && c != '\n'; };
  fuzz::require(text.ends_with('\n') && std::ranges::none_of(text, moves),
                "a text is lines that do not move the cursor");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto run = fuzz::read_or_refuse("The trace \"input\"", [&] {
    return tools::parse_trace(fuzz::text_of(data, size), "input");
  });
  if (!run) return 0;
  const tools::wait_finder waits(*run);
  const tools::run_findings found = tools::find_in(*run, waits);
  require_lines(tools::run_text(*run, waits, found));
  fuzz::require(!tools::run_json(*run, waits, found).empty(), "a run is told as JSON");
  for (const hocket::traced_task& each : run->tasks) {
    require_lines(tools::task_text(*run, waits, each));
    fuzz::require(!tools::task_json(*run, waits, each).empty(), "a task is told as JSON");
    fuzz::require(!tools::tasks_called(*run, each.name).empty(), "a task is found by its name");
  }
  const tools::launch_kinds kinds(*run);
  const std::string machine = to_json(kinds.machine(), "a fuzz target");
  (void)fuzz::read_or_refuse("machine \"input\"",
                             [&] { return hocket::parse_machine(machine, "input"); });
  return 0;
}
