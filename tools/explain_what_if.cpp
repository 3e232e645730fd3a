// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "explain_what_if.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <hocket/core/error.hpp>
#include <hocket/scheduler/placement_policy.hpp>

#include "explain_findings.hpp"
#include "explain_replay.hpp"
#include "output.hpp"

namespace tools {

namespace {

using hocket::nanoseconds;
using hocket::sim_machine;
using hocket::sim_options;
using hocket::traced_task;

nanoseconds recorded_makespan(const recorded_run& run) {
  hocket::time_stamp begin = hocket::time_stamp::max(), end{0};
  for (const traced_task& t : run.tasks) {
    if (!ran(t)) continue;
    begin = std::min(begin, t.begin);
    end = std::max(end, t.end);
  }
  return std::max(end - begin, nanoseconds{0});
}

std::size_t busiest_device(const recorded_run& run) {
  const auto busy_of_lane = [&](std::size_t i) {
    return run.report.devices[i].busy / static_cast<std::int64_t>(run.devices[i].lanes);
  };
  std::size_t best = 0;
  for (std::size_t i = 1; i < run.devices.size(); ++i) {
    if (busy_of_lane(i) > busy_of_lane(best)) best = i;
  }
  return best;
}

sim_machine with_links(sim_machine machine, double faster, std::int64_t divided_latency) {
  for (hocket::sim_bus& each : machine.buses) each.bytes_per_second *= faster;
  for (sim_options& each : machine.devices) {
    const auto hasten = [&](std::optional<double>& rate, std::optional<nanoseconds>& latency) {
      if (rate) *rate *= faster;
      if (latency) *latency = divided_latency == 0 ? nanoseconds{0} : *latency / divided_latency;
    };
    hasten(each.link_bytes_per_second, each.link_latency);
    hasten(each.peer_bytes_per_second, each.peer_latency);
  }
  return machine;
}

/// The policy of the run, where this program has it.
std::string known_policy(const recorded_run& run) {
  const auto all = hocket::placement_policies();
  return std::ranges::find(all, run.policy) == all.end() ? all.front() : run.policy;
}

changed_run best_policy(const recorded_run& run, const launch_kinds& kinds,
                        const sim_machine& machine, nanoseconds as_it_was, const std::string& own) {
  changed_run best{"the best policy, which it has", as_it_was};
  for (const std::string& each : hocket::placement_policies()) {
    if (each == own) continue;
    const nanoseconds took = replay(run, kinds, machine, each);
    if (took < best.makespan) best = {fmt::format("the best policy, \"{}\"", each), took};
  }
  return best;
}

std::string ratio_text(nanoseconds of, nanoseconds to) {
  if (to <= nanoseconds{0}) return "-";
  return fmt::format("{:.3f}", static_cast<double>(of.count()) / static_cast<double>(to.count()));
}

what_if_answer simulate_all(const recorded_run& run) {
  const launch_kinds kinds(run);
  const sim_machine machine = kinds.machine();
  const std::string policy = known_policy(run);
  what_if_answer made{.recorded = recorded_makespan(run), .runs = {}};
  const auto add = [&](std::string change, sim_machine changed) {
    made.runs.push_back({std::move(change), replay(run, kinds, std::move(changed), policy)});
  };
  add(run.policy == policy ? "as it was" : fmt::format("by the policy \"{}\"", policy), machine);
  sim_machine larger = machine;
  const std::size_t busiest = busiest_device(run);
  larger.devices.push_back(larger.devices[busiest]);
  add(fmt::format("one more {}", run.devices[busiest].name), std::move(larger));
  add("links twice as fast", with_links(machine, 2, 2));
  add("copies that take no time", with_links(machine, 1e12, 0));
  made.runs.push_back(best_policy(run, kinds, machine, made.runs.front().makespan, policy));
  return made;
}

}  // namespace

what_if_answer ask_what_if(const recorded_run& run) {
  try {
    return simulate_all(run);
  } catch (const hocket::usage_error& why) {
    // No user has made this mistake: the trace is damaged, or tells too little.
    throw hocket::error(
        hocket::failure(hocket::failure_code::io,
                        fmt::format("The run cannot be simulated again: {}", why.what())));
  }
}

std::string what_if_text(const what_if_answer& of) {
  const nanoseconds again = of.runs.front().makespan;
  std::vector<std::vector<std::string>> rows{{"WHAT IF", "MAKESPAN", "TO AS IT WAS"}};
  for (const changed_run& each : of.runs) {
    rows.push_back({each.change, time_text(each.makespan), ratio_text(each.makespan, again)});
  }
  return fmt::format(
             "The run took {}, and {} when it is simulated again: {} times that.\n"
             "The farther this is from 1, the less is the rest worth.\n\n",
             time_text(of.recorded), time_text(again), ratio_text(again, of.recorded)) +
         table(rows);
}

boost::json::object what_if_json(const what_if_answer& of) {
  boost::json::array runs;
  for (const changed_run& each : of.runs) {
    runs.push_back(
        boost::json::object{{"change", each.change}, {"makespan", each.makespan.count()}});
  }
  return {{"recorded", of.recorded.count()}, {"runs", std::move(runs)}};
}

}  // namespace tools
