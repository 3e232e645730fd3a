// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "top.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <limits>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <hocket/core/environment.hpp>
#include <hocket/core/error.hpp>
#include <hocket/devices/counter_files.hpp>

#include "common/interrupt.hpp"
#include "common/standard_streams.hpp"
#include "number_range.hpp"
#include "output.hpp"
#include "top_rates.hpp"
#include "top_text.hpp"

namespace tools {

namespace {

/// A page of the terminal of its own, without a cursor. What was there before is there again in
/// the end.
class terminal_page {
 public:
  terminal_page() { print(std::string_view("\x1b[?1049h\x1b[?25l")); }
  terminal_page(const terminal_page&) = delete;
  terminal_page& operator=(const terminal_page&) = delete;
  ~terminal_page() {
    std::fputs("\x1b[?25h\x1b[?1049l", stdout);
    std::fflush(stdout);
  }

  [[nodiscard]] static page_size size() {
    winsize found{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &found) != 0 || found.ws_col == 0) return {80, 24};
    return {found.ws_col, found.ws_row};
  }
};

/// True if pages can be drawn on standard output.
bool has_terminal() {
  const std::string kind = hocket::environment_variable("TERM").value_or("dumb");
  return ::isatty(STDOUT_FILENO) == 1 && kind != "dumb";
}

std::vector<hocket::exported_counters> read(const top_request& asked) {
  std::vector<hocket::exported_counters> all = hocket::read_counters(hocket::counter_folder());
  if (asked.process == 0) return all;
  std::erase_if(all, [&](const auto& each) { return each.from.process != asked.process; });
  return all;
}

/// Waits for an interval. Returns false if the user wants to end.
bool wait(const top_request& asked, const std::stop_token& stop) {
  std::mutex guard;
  std::condition_variable_any changed;
  std::unique_lock lock(guard);
  const std::chrono::duration<double> interval(asked.interval);
  (void)changed.wait_for(lock, stop, interval, [] { return false; });
  return !stop.stop_requested();
}

hocket::error none_found(const top_request& asked) {
  const std::string who = asked.process == 0
                              ? std::string("No running program")
                              : fmt::format("Process {} is none that", asked.process);
  return hocket::error(hocket::failure(
      hocket::failure_code::io,
      fmt::format("{} writes its counters to \"{}\"; a program does with HOCKET_TOP=1 in its "
                  "environment, or with runtime_options::export_counters.",
                  who, hocket::counter_folder().string())));
}

int show_pages(const top_request& asked, rate_meter& meter, const std::stop_token& stop) {
  const terminal_page page;
  do {
    meter.add(read(asked));
    const std::vector<runtime_rates> rates = meter.rates();
    const std::string title = rates.empty()
                                  ? "No program writes its counters now. Ctrl-C ends this."
                                  : fmt::format("Every {:g} s; Ctrl-C ends this.", asked.interval);
    std::vector<std::string> lines = top_lines(rates);
    lines.insert(lines.end(), meter.problems().begin(), meter.problems().end());
    print(top_page(title, lines, terminal_page::size()));
  } while (wait(asked, stop));
  return examples::exit_code_of_interrupt;
}

int print_once(const top_request& asked, rate_meter& meter, const std::stop_token& stop) {
  if (!wait(asked, stop)) return examples::exit_code_of_interrupt;
  meter.add(read(asked));
  const std::vector<runtime_rates> rates = meter.rates();
  for (const std::string& each : meter.problems()) examples::say(fmt::format("hocket: {}\n", each));
  if (rates.empty()) throw none_found(asked);
  if (asked.json) {
    print(to_json(rates));
  } else {
    std::string text;
    for (const std::string& line : top_lines(rates)) text += line + "\n";
    print(text);
  }
  return 0;
}

}  // namespace

const CLI::App& add_top(CLI::App& app, top_request& into) {
  CLI::App& command =
      *app.add_subcommand("top", "Show what the devices of running programs do, while they do it");
  command.add_flag("--once", into.once, "Print a table and end, as where there is no terminal");
  command.add_flag("--json", into.json, "Print JSON and end");
  command.add_option("--interval", into.interval, "Seconds that rates are of (default: 1)")
      ->type_name("S")
      ->check(between(0.25, 3600));
  command.add_option("--pid", into.process, "Only of this process")
      ->type_name("N")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()));
  return command;
}

int top(const top_request& asked) {
  // Before the first other thread.
  const examples::interrupt interrupted;
  rate_meter meter;
  const std::vector<hocket::exported_counters> first = read(asked);
  if (first.empty()) throw none_found(asked);
  meter.add(first);
  const bool once = asked.once || asked.json || !has_terminal();
  return once ? print_once(asked, meter, interrupted.token())
              : show_pages(asked, meter, interrupted.token());
}

}  // namespace tools
