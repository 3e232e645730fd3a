// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "torture.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/json.hpp>

#include <hocket/core/error.hpp>
#include <hocket/hocket.hpp>

#include "child_process.hpp"
#include "common/command_line.hpp"
#include "common/files.hpp"
#include "common/interrupt.hpp"
#include "common/standard_streams.hpp"
#include "number_range.hpp"
#include "output.hpp"
#include "torture/shrink.hpp"
#include "torture/trial.hpp"

namespace tools {

namespace {

namespace json = boost::json;
using clock = std::chrono::steady_clock;
using hocket::seeded::program;
using hocket::seeded::trial;
using hocket::seeded::trial_kind;
using std::chrono::milliseconds;

constexpr std::uint64_t default_seeds = 10'000;
constexpr milliseconds look_around(100);
// A program takes milliseconds on the virtual clock; a driver may compile for a while.
constexpr std::chrono::seconds longest_trial(60);
constexpr std::chrono::seconds longest_real_trial(300);
constexpr std::chrono::seconds longest_shrinking(60);
constexpr std::chrono::seconds longest_real_shrinking(300);

/// Numbers of one trial, or sums of many, as they go from process to process.
struct trial_counts {
  std::uint64_t seed = 0;
  std::uint64_t tasks = 0;
  std::uint64_t faults = 0;
  std::uint64_t recoveries = 0;
  std::uint64_t given_up = 0;
};

std::string packed(const trial_counts& counts, const std::string& wrong) {
  return std::string(reinterpret_cast<const char*>(&counts), sizeof counts) + wrong;
}

/// Returns what was wrong.
std::string unpacked(const std::string& text, trial_counts& to) {
  std::memcpy(&to, text.data(), sizeof to);
  return text.substr(sizeof to);
}

std::string run_trial(const trial& each) {
  const hocket::seeded::run_result result = run_and_compare(each.made, each.run);
  trial_counts counts;
  counts.seed = each.made.seed;
  counts.tasks = static_cast<std::uint64_t>(
      std::count_if(each.made.steps.begin(), each.made.steps.end(), hocket::seeded::is_task));
  counts.faults = result.report.faults.total();
  counts.recoveries = result.report.recoveries;
  counts.given_up = result.report.given_up;
  return packed(counts, result.wrong);
}

/// A seed that fails.
struct failed_seed {
  std::uint64_t seed = 0;
  std::string wrong;
  std::size_t steps = 0;  ///< of the program
  std::optional<program> smallest = {};
};

/// The findings so far.
struct search_result {
  std::uint64_t seeds = 0;
  trial_counts sums;
  double seconds = 0;
  std::optional<failed_seed> failed = {};
  bool was_interrupted = false;

  [[nodiscard]] double seeds_per_minute() const {
    constexpr double minute = 60;
    return seconds > 0 ? static_cast<double>(seeds) / seconds * minute : 0;
  }
};

/// Tries one seed after the other in a process of its own, and looks at how that fares.
class search {
 public:
  search(const torture_request& asked, hocket::seeded::trial_settings settings,
         std::stop_token stop)
      : asked_(asked), settings_(std::move(settings)), stop_(std::move(stop)) {
    if (asked.seeds || !asked.minutes) seeds_ = asked.seeds.value_or(default_seeds);
    if (asked.minutes) {
      const std::chrono::duration<double, std::ratio<60>> time(*asked.minutes);
      end_ = begin_ + std::chrono::duration_cast<clock::duration>(time);
    }
  }

  search_result run() {
    try_seeds();
    found_.seconds = std::chrono::duration<double>(clock::now() - begin_).count();
    if (found_.failed) shrink_failed();
    found_.was_interrupted = stop_.stop_requested();
    return std::move(found_);
  }

 private:
  using state = child_process::state;

  void try_seeds() {
    child_process child([this](const child_process::send& send) {
      for (std::uint64_t i = 0; i < seeds_; ++i) {
        send(run_trial(make_trial(asked_.first + i, settings_)));
      }
    });
    auto last = clock::now();
    std::string text;
    while (found_.seeds < seeds_ && !found_.failed && !stop_.stop_requested()) {
      const state now = child.receive(text, look_around);
      if (now == state::sent) {
        add(text);
        last = clock::now();
      }
      if (now == state::ended || clock::now() - last > limit(longest_trial, longest_real_trial)) {
        found_.failed = {asked_.first + found_.seeds, child.how_it_ended()};
      }
      show_progress();
      if (clock::now() >= end_) return;
    }
  }

  [[nodiscard]] std::chrono::seconds limit(std::chrono::seconds simulated,
                                           std::chrono::seconds real) const {
    return asked_.real ? real : simulated;
  }

  void add(const std::string& text) {
    trial_counts counts;
    std::string wrong = unpacked(text, counts);
    if (!wrong.empty()) {
      found_.failed = {counts.seed, std::move(wrong)};
      return;
    }
    ++found_.seeds;
    found_.sums.tasks += counts.tasks;
    found_.sums.faults += counts.faults;
    found_.sums.recoveries += counts.recoveries;
    found_.sums.given_up += counts.given_up;
  }

  void show_progress() {
    const auto now = clock::now();
    if (now - shown_ < look_around) return;
    shown_ = now;
    double share =
        seeds_ == endless ? 0 : static_cast<double>(found_.seeds) / static_cast<double>(seeds_);
    if (asked_.minutes) {
      const auto passed = std::chrono::duration<double>(now - begin_);
      share = std::max(share, passed / std::chrono::duration<double>(end_ - begin_));
    }
    progress_.show(fmt::format("{} {} seeds, {} tasks, {} faults", bar(share), found_.seeds,
                               found_.sums.tasks, found_.sums.faults));
  }

  static std::string bar(double share) {
    constexpr std::size_t width = 30;
    const auto done = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * width);
    return "[" + std::string(done, '#') + std::string(width - done, ' ') + "]";
  }

  void shrink_failed() {
    failed_seed& failed = *found_.failed;
    trial each = make_trial(failed.seed, settings_);
    failed.steps = each.made.steps.size();
    const std::string sign = sign_of(failed.wrong);
    const auto end = clock::now() + limit(longest_shrinking, longest_real_shrinking);
    std::size_t tries = 0;
    failed.smallest = shrink(each.made, [&](const program& smaller) {
      if (clock::now() >= end || stop_.stop_requested()) return false;
      progress_.show(fmt::format("seed {} fails; smaller program {}, of {} steps", failed.seed,
                                 ++tries, smaller.steps.size()));
      each.made = smaller;
      return sign_of(wrong_with(each)) == sign;
    });
  }

  /// Returns how the program fails; empty if it does not.
  [[nodiscard]] std::string wrong_with(const trial& each) const {
    child_process child([&](const child_process::send& send) { send(run_trial(each)); });
    constexpr std::chrono::seconds longest(10);
    const auto end = clock::now() + limit(longest, longest_real_trial);
    std::string text;
    while (clock::now() < end && !stop_.stop_requested()) {
      const state now = child.receive(text, look_around);
      trial_counts ignored;
      if (now == state::sent) return unpacked(text, ignored);
      if (now == state::ended) return child.how_it_ended();
    }
    return stop_.stop_requested() ? "" : child.how_it_ended();
  }

  /// The begin of what is wrong, without numbers: a smaller program is to fail in the same way.
  static std::string sign_of(const std::string& wrong) {
    constexpr std::size_t length = 60;
    std::string sign;
    for (const char each : wrong) {
      if (each < '0' || each > '9') sign += each;
    }
    return sign.substr(0, length);
  }

  static constexpr std::uint64_t endless = std::numeric_limits<std::uint64_t>::max();

  const torture_request& asked_;
  const hocket::seeded::trial_settings settings_;
  const std::stop_token stop_;
  const clock::time_point begin_ = clock::now();
  clock::time_point end_ = clock::time_point::max();
  clock::time_point shown_;
  std::uint64_t seeds_ = endless;
  search_result found_;
  const progress_line progress_;
};

/// True of variables that say which devices the machine has, and how their drivers are used.
bool is_about_devices(std::string_view variable) {
  if (variable == "HOCKET_BACKEND_SIM" || variable == "HOCKET_BACKEND_CPU") return false;
  return variable == "HOCKET_BACKENDS" || variable == "HOCKET_VISIBLE_DEVICES" ||
         variable.starts_with("HOCKET_BACKEND_") || variable.starts_with("HOCKET_STANDIN_");
}

/// A seed is to do the same everywhere, whatever the environment asks of other programs: of
/// Hocket's variables only those about devices are kept, and these with --real alone.
void clear_environment(bool real) {
  std::vector<std::string> unwanted;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view entry(*each);
    const std::string_view variable = entry.substr(0, entry.find('='));
    if (!variable.starts_with("HOCKET_") || (real && is_about_devices(variable))) continue;
    unwanted.emplace_back(variable);
  }
  for (const std::string& each : unwanted) ::unsetenv(each.c_str());
  ::setenv("HOCKET_COSTS", "off", 1);
  if (real) return;
  ::setenv("HOCKET_BACKENDS", "cpu,sim", 1);
  ::setenv("HWLOC_SYNTHETIC", "numa:1 core:4 pu:1", 1);
}

/// The devices are looked for in a process that ends: those of the trials are to find drivers that
/// were never opened in their parent.
std::vector<std::string> real_devices(const std::string& asked) {
  child_process child([&](const child_process::send& send) {
    try {
      for (const auto& each : hocket::seeded::find_real_devices(asked)) {
        send((each.computes ? "+" : "-") + each.name);
      }
    } catch (const std::exception& why) {
      send(std::string("!") + why.what());
    }
  });
  std::vector<std::string> names;
  std::string text;
  while (true) {
    const auto now = child.receive(text, longest_real_trial);
    if (now != child_process::state::sent) break;
    if (text.front() == '!') throw hocket::usage_error(text.substr(1));
    if (text.front() == '+') names.push_back(text.substr(1));
    if (text.front() != '-') continue;
    examples::say(
        fmt::format("hocket: {} is left out, because it has no integers of 64 bits, with which the "
                    "kernels compute.\n",
                    text.substr(1)));
  }
  if (!names.empty()) return names;
  throw hocket::usage_error("The devices of this machine cannot be used: " + child.how_it_ended());
}

hocket::seeded::trial_settings settings_of(const torture_request& asked) {
  hocket::seeded::trial_settings made;
  for (std::size_t i = 0; i < hocket::seeded::trial_kinds; ++i) {
    const auto kind = static_cast<trial_kind>(i);
    if (to_string(kind) == asked.kind) made.kind = kind;
  }
  made.tasks = asked.tasks;
  made.run.real_clock = made.run.real_devices = asked.real;
  made.run.looks_at_memory = !asked.real;
  if (asked.real) {
    made.device_names = real_devices(asked.devices);
    made.run.devices = fmt::format("{}", fmt::join(made.device_names, ","));
  }
  made.run.topology = std::make_shared<const hocket::host_topology>();
  return made;
}

/// The command that tries one seed again.
std::string command_for(std::uint64_t seed, const torture_request& asked) {
  std::string line = fmt::format("hocket torture --first-seed {} --seeds 1", seed);
  if (asked.kind != "any") line += " --kind " + asked.kind;
  if (asked.tasks > 0) line += fmt::format(" --tasks {}", asked.tasks);
  if (asked.real) line += " --real";
  if (!asked.devices.empty()) line += " --devices " + asked.devices;
  return line;
}

std::string to_text(const search_result& found, const torture_request& asked) {
  std::string text = fmt::format(
      "{} seeds agree with the interpreter: {} tasks, {} faults, {} recoveries, {} of them "
      "abandoned; {:.0f} seeds a minute.\n",
      found.seeds, found.sums.tasks, found.sums.faults, found.sums.recoveries, found.sums.given_up,
      found.seeds_per_minute());
  if (!found.failed) return painted("ok", colour::green) + "  " + text;
  const failed_seed& failed = *found.failed;
  text += fmt::format("{}: seed {}: {}\nTo see it again: {}\n", painted("FAILED", colour::red),
                      failed.seed, failed.wrong, command_for(failed.seed, asked));
  if (!failed.smallest) return text;
  return text + fmt::format("Of its {} steps these {} are enough:\n{}", failed.steps,
                            failed.smallest->steps.size(), to_string(*failed.smallest));
}

json::object to_json(const search_result& found, const torture_request& asked) {
  json::object all{{"first_seed", asked.first},
                   {"kind", asked.kind},
                   {"seeds", found.seeds},
                   {"tasks", found.sums.tasks},
                   {"faults", found.sums.faults},
                   {"recoveries", found.sums.recoveries},
                   {"given_up", found.sums.given_up},
                   {"seconds", found.seconds},
                   {"seeds_per_minute", found.seeds_per_minute()},
                   {"interrupted", found.was_interrupted},
                   {"failed", nullptr}};
  if (!found.failed) return all;
  json::object failed{{"seed", found.failed->seed},
                      {"wrong", found.failed->wrong},
                      {"command", command_for(found.failed->seed, asked)},
                      {"steps", found.failed->steps}};
  if (found.failed->smallest) {
    failed["smallest_steps"] = found.failed->smallest->steps.size();
    failed["smallest"] = to_string(*found.failed->smallest);
  }
  all["failed"] = std::move(failed);
  return all;
}

void check(const torture_request& asked) {
  if (!asked.devices.empty() && !asked.real) {
    throw hocket::usage_error(
        "--devices names devices of this machine, which only --real uses; give both.");
  }
  if (asked.seeds.value_or(default_seeds) >
      std::numeric_limits<std::uint64_t>::max() - asked.first) {
    throw hocket::usage_error(
        fmt::format("--first-seed is {}, and so many --seeds are not left after it.", asked.first));
  }
}

}  // namespace

CLI::App& add_torture(CLI::App& app, torture_request& into) {
  CLI::App& command = *app.add_subcommand(
      "torture", "Run random programs with faults, and compare them with a sequential run");
  command.add_option("--seeds", into.seeds, "Try so many (default: 10000, or all of --minutes)")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::numeric_limits<std::int64_t>::max()));
  command.add_option("--minutes", into.minutes, "Try as many as there is time for")
      ->type_name("M")
      ->check(between(0.001, 1e6));
  command.add_option("--first-seed", into.first, "Begin with this one (default: 1)")
      ->type_name("S")
      ->check(whole_number());
  command
      .add_option("--kind", into.kind,
                  "plain: no device fails; faults: tasks may fail with devices; survive: no result "
                  "may differ; crowd: the same of many small tasks; in-place: the host alone; any: "
                  "each seed draws one (default)")
      ->check(CLI::IsMember({"any", "plain", "faults", "survive", "crowd", "in-place"}));
  command.add_option("--tasks", into.tasks, "Tasks of each program (default: each seed draws)")
      ->type_name("N")
      ->check(CLI::Range(1, 10'000));
  command.add_flag("--real", into.real, "On the devices of this machine, and over threads");
  examples::add_text(command, "--devices", into.devices,
                     "With --real: only these, such as NUMA0,OpenCL0")
      ->type_name("LIST");
  examples::add_text(command, "--json", into.json,
                     "Write the summary as JSON; - is standard output")
      ->type_name("FILE");
  return command;
}

int torture(const torture_request& asked) {
  check(asked);
  clear_environment(asked.real);
  // Before the first other thread.
  const examples::interrupt interrupted;
  const search_result found = search(asked, settings_of(asked), interrupted.token()).run();
  if (asked.json != "-") print(to_text(found, asked));
  if (!asked.json.empty()) {
    examples::write_file(asked.json, json::serialize(to_json(found, asked)) + "\n");
  }
  if (found.failed) return 1;
  return found.was_interrupted ? examples::exit_code_of_interrupt : 0;
}

}  // namespace tools
