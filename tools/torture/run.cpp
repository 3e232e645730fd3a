// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "run.hpp"

#include <exception>
#include <optional>
#include <string_view>

#include <hocket/execution/pump.hpp>
#include <hocket/execution/seed.hpp>
#include <hocket/hocket.hpp>

#include "runner.hpp"

namespace hocket::seeded {

namespace {

// A launch takes milliseconds: a shorter one counts as none that is late.
constexpr const char* slow_rate = "20K";

/// The simulated devices of the program, a thousand times slower, and some launches much slower
/// than others.
std::string unsteady(std::string sim) {
  constexpr std::string_view rates = "M,link=";
  for (std::size_t at = sim.find(rates); at != std::string::npos; at = sim.find(rates, at + 1)) {
    sim.replace(at, rates.size(), "K,noise=2,link=");
  }
  return sim;
}

void choose_devices(runtime_options& o, const program& made, const run_settings& settings) {
  if (settings.in_place) {
    o.devices = "NUMA0";
    o.data_tasks = data_path::in_place;
  } else if (settings.real_devices) {
    o.devices = settings.devices;
  } else {
    // Not those of this machine: placement is to be the same everywhere.
    const std::string rate = settings.speculates ? slow_rate : "20G";
    o.backends["cpu"] = "flops=" + rate + ",bandwidth=10G,launch=1us,memory=1G";
    if (!made.sim.empty()) o.backends["sim"] = settings.speculates ? unsteady(made.sim) : made.sim;
  }
}

runtime_options options_of(const program& made, const run_settings& settings) {
  runtime_options o;
  o.clock = settings.real_clock ? clock_kind::real : clock_kind::simulated;
  o.seed = made.seed;
  o.max_pending = made.max_pending;
  o.delay_probability = made.delay_probability;
  o.longest_delay = std::chrono::microseconds(50);
  // The log keeps what functions write only in the memory of the host.
  o.private_memory = made.private_memory && !settings.in_place && !settings.survives;
  o.topology = settings.topology;
  o.hang_timeout = made.hang_timeout;
  o.policy = made.policy;
  if (settings.speculates) {
    o.speculation = 1.5;
    const std::vector<std::string> policies = placement_policies();
    o.policy = policies[seeded_stream(made.seed, 9).below(policies.size())];
  }
  if (settings.survives) {
    o.resilience = resilience_kind::survive;
    // While the log is cut, nothing is run a second time.
    o.max_repeated = 1 + made.seed % 1000;
    o.max_attempts = 1000;  // far more than copies that fail at random use up
  }
  if (!made.faults.empty()) {
    for (const fault_rule& each : made.faults) o.faults.add(each);
    o.faults.set_seed(made.seed);
  }
  choose_devices(o, made, settings);
  return o;
}

/// Returns the first difference from the interpreter; empty if there is none.
std::string run_one(runtime& rt, const program& made, const run_settings& settings) {
  try {
    return run_steps(rt, made, settings);
  } catch (const std::exception& e) {
    return std::string("an exception that was not planned: ") + e.what() + "\n" +
           to_string(rt.pending());
  }
}

/// The program, and beside it another one: in a thread, or in a task where there are none.
std::string run_both(runtime& rt, program made, program other, run_settings settings) {
  settings.has_other = true;
  if (!settings.real_clock) {
    // Waits in one thread end from the inside out: none of the other program may need this one.
    for (step& each : made.steps) each.stays_open = false;
    for (step& each : other.steps) each.in_order = false;
  }
  std::string wrong, wrong_there;
  const auto there = [&] { wrong_there = run_one(rt, other, settings); };
  if (settings.real_clock) {
    pump second("the other program");
    second.post(there);
    wrong = run_one(rt, made, settings);
  } else {
    const future<void> second = rt.async({.label = "the other program"}, there);
    wrong = run_one(rt, made, settings);
    second.wait();
  }
  return wrong_there.empty() ? wrong : wrong + " (beside it) " + wrong_there;
}

/// Fills and the tasks that combine partials have no futures: their failures are taken from wait().
/// Returns why tasks are left that can never run; empty if none is.
std::string look_at_failures(runtime& rt) {
  while (true) {
    try {
      rt.wait();
      return {};
    } catch (const usage_error& e) {
      return e.what();
    } catch (const std::exception&) {
      // The next one.
    }
  }
}

}  // namespace

std::string wrong_memory(runtime& rt) {
  const runtime_report report = rt.report(report_detail::counts);
  const std::vector<device_info> devices = rt.devices();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (devices[i].memory_bytes == 0 || devices[i].shares_host_memory) continue;
    if (report.devices[i].peak_bytes > devices[i].memory_bytes) {
      return "more memory of " + devices[i].name + " was used than there is";
    }
  }
  return {};
}

run_result run_and_compare(const program& made, const run_settings& settings) {
  run_result result;
  try {
    runtime rt(options_of(made, settings));
    std::optional<program> other = other_program(made);
    if (other && settings.real_devices) fit_to_devices(*other, made.devices);
    result.wrong = other ? run_both(rt, made, *other, settings) : run_one(rt, made, settings);
    // Functions that use the runtime may still run where the program ended early.
    const std::string stuck = look_at_failures(rt);
    if (result.wrong.empty()) result.wrong = stuck;
    if (result.wrong.empty()) result.wrong = wrong_memory(rt);
    result.report = rt.report(report_detail::counts);
  } catch (const std::exception& e) {
    result.wrong = std::string("an exception that was not planned: ") + e.what();
  }
  return result;
}

}  // namespace hocket::seeded
