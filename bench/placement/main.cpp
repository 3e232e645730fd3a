// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <hocket/hocket.hpp>

#include "harness/command.hpp"
#include "problems/bound.hpp"
#include "problems/run.hpp"

namespace hocket::bench {

namespace {

/// Problems of one kind, the mean of which is reported.
struct problem_set {
  std::string name;
  std::function<std::vector<problem>()> make;
  std::function<void(sim_machine&)> change = [](sim_machine& /*machine*/) {};  ///< before a run
};

struct study {
  std::string machine;
  double seconds_of_weight;  ///< what a task of weight one takes on the fastest device
  std::vector<problem_set> problems;
};

// Subjects that are no policies: the same work on the device where it takes the least time, and the
// tenth run of a recorded graph by the usual policy.
constexpr const char* best_device = "best-device";
constexpr const char* recorded_graph = "graph-again";

problem_set one(const problem& what) {
  return {what.name, [what] { return std::vector{what}; }};
}

problem_set random_graphs(unsigned count, weights unit) {
  return {"random", [=] {
            std::vector<problem> all;
            for (unsigned seed = 1; seed <= count; ++seed) all.push_back(random_graph(seed, unit));
            return all;
          }};
}

problem_set independent_tasks(unsigned count, weights unit) {
  return {"independent", [=] {
            std::vector<problem> all;
            for (unsigned seed = 1; seed <= count; ++seed) all.push_back(independent(seed, unit));
            return all;
          }};
}

weights unit_on(const sim_machine& machine, double seconds) {
  double fastest = 0;
  for (const sim_options& each : machine.devices) {
    fastest = std::max(fastest, each.flops_per_second.value_or(0));
  }
  return {fastest * seconds};
}

/// Kinds of graphs that are not made of tiles.
std::vector<problem_set> other_shapes(weights unit, bool quick) {
  return {random_graphs(quick ? 2 : 50, unit), independent_tasks(quick ? 1 : 5, unit),
          one(chain_beside_small(true, unit)), one(chain_beside_small(false, unit)),
          one(wide_narrow_wide(unit)),         one(chains_with_data(unit))};
}

/// The problems on a machine whose times differ from what its rates say.
std::vector<problem_set> with_noise(const problem_set& what, double noise) {
  problem_set made = what;
  made.name += ", noise " + std::to_string(static_cast<int>(noise * 100)) + " %";
  made.change = [noise](sim_machine& machine) {
    for (sim_options& each : machine.devices) each.deviation.noise = noise;
  };
  return {made};
}

/// The problem on a machine whose second device begins badly, or gets slower later.
std::vector<problem_set> with_surprises(const problem& what, nanoseconds later) {
  problem_set outliers = one(what), slower = one(what);
  outliers.name += ", first launches 500 times as long";
  outliers.change = [](sim_machine& machine) {
    machine.devices[1].deviation.first_launches = 1;
    machine.devices[1].deviation.first_factor = 500;
  };
  slower.name += ", a device four times slower later";
  slower.change = [later](sim_machine& machine) {
    machine.devices[1].deviation.later = later;
    machine.devices[1].deviation.later_factor = 4;
  };
  return {outliers, slower};
}

/// Chains that have 8 MiB each, on a machine whose links are slow.
problem_set chains_over_links(weights unit, double megabytes_per_second) {
  problem_set made = one(chains_with_data(unit));
  made.name += fmt::format(", links of {:g} MB/s", megabytes_per_second);
  made.change = [megabytes_per_second](sim_machine& machine) {
    for (sim_options& each : machine.devices) {
      if (!each.shares_host_memory) each.link_bytes_per_second = megabytes_per_second * 1e6;
    }
  };
  return made;
}

void add(std::vector<problem_set>&& from, std::vector<problem_set>& to) {
  std::ranges::move(from, std::back_inserter(to));
}

/// On unequal-gpus, with other times or other links.
std::vector<problem_set> deviations(weights unit, bool quick) {
  const problem factorization = cholesky(quick ? 6 : 40);
  std::vector<problem_set> made;
  for (const double noise : {0.1, 0.3}) {
    add(with_noise(one(factorization), noise), made);
    add(with_noise(random_graphs(quick ? 1 : 50, unit), noise), made);
  }
  for (const double megabytes : {1000.0, 100.0}) made.push_back(chains_over_links(unit, megabytes));
  add(with_surprises(factorization, std::chrono::milliseconds(quick ? 1 : 250)), made);
  return made;
}

std::vector<study> all_studies(bool quick) {
  std::vector<study> all{
      {"unequal-gpus", 1e-3, {}}, {"eight-gpus", 1e-3, {}}, {"five-unlike", 1e-2, {}}};
  for (study& each : all) {
    if (quick) {
      each.problems = {one(cholesky(6)), one(lu(5)), one(qr(5)), one(gemm(5))};
    } else if (each.machine == "five-unlike") {
      each.problems = {one(cholesky(40)), one(lu(20)), one(qr(20)), one(gemm(20))};
    } else {
      each.problems = {one(cholesky(40)), one(cholesky(64)), one(lu(40)), one(qr(40)),
                       one(gemm(20))};
    }
    const weights unit = unit_on(find_machine(each.machine), each.seconds_of_weight);
    for (problem_set& other : other_shapes(unit, quick)) {
      if (each.machine != "eight-gpus" || other.name == "random") {
        each.problems.push_back(std::move(other));
      }
    }
    if (each.machine == "unequal-gpus") add(deviations(unit, quick), each.problems);
  }
  return all;
}

double bound_on(const problem& what, const std::vector<device_info>& devices) {
  return bounds_of(what, devices).larger();
}

/// The bound where devices get slower while they work: all is done at full speed until then, and
/// the rest by a machine that was slow from the beginning.
double bound_with_change(const problem& what, const sim_machine& machine,
                         const std::vector<device_info>& devices) {
  std::vector<device_info> slow = devices;
  double later = 0;
  for (std::size_t i = 0; i < slow.size(); ++i) {
    const sim_deviation& deviation = machine.devices[i].deviation;
    if (deviation.later_factor == 1) continue;
    later = std::chrono::duration<double>(deviation.later).count();
    slow[i].flops_per_second /= deviation.later_factor;
  }
  const double bound = bound_on(what, devices);
  return later == 0 ? bound : later + (1 - later / bound) * bound_on(what, slow);
}

double least_makespan_on_one_device(const problem& what, const sim_machine& machine) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < machine.devices.size(); ++i) {
    if (i > 0 && machine.devices[i] == machine.devices[i - 1]) continue;
    sim_machine alone = machine;
    alone.devices = {machine.devices[i]};
    least = std::min(least, run(what, alone).makespan);
  }
  return least;
}

/// In units of the bound of the whole machine.
double mean_makespan(const problem_set& what, const std::string& on, const std::string& subject) {
  sim_machine machine = find_machine(on);
  what.change(machine);
  double sum = 0;
  const std::vector<problem> all = what.make();
  for (const problem& each : all) {
    const bool is_alone = subject == best_device;
    run_setup how{.policy = is_alone ? "round-robin" : subject};
    if (subject == recorded_graph) how = {.earlier_runs = 9};
    const schedule made = run(each, machine, how);
    const double makespan = is_alone ? least_makespan_on_one_device(each, machine) : made.makespan;
    sum += makespan / bound_with_change(each, machine, made.devices);
  }
  return sum / static_cast<double>(all.size());
}

comparison makespans_of(const problem_set& what, const std::string& machine) {
  comparison made{machine + ", " + what.name, "makespan", "of the bound", 1, {}};
  made.once = true;  // the virtual clock gives the same answer every time
  const auto add_subject = [&](const std::string& subject, const std::string& policy) {
    made.contenders.push_back(
        {subject, [=] { return [=] { return mean_makespan(what, machine, policy); }; }});
  };
  const std::vector<std::string> policies = placement_policies();
  add_subject("hocket", policies.front());
  add_subject(recorded_graph, recorded_graph);
  for (std::size_t i = 1; i < policies.size(); ++i) add_subject(policies[i], policies[i]);
  add_subject(best_device, best_device);
  return made;
}

comparison host_times_of(const problem_set& what, const std::string& machine) {
  comparison made{machine + ", " + what.name, "host_time", "us/task", 1, {}};
  const auto add_subject = [&](const std::string& subject, const std::string& policy) {
    made.contenders.push_back(
        {subject, [=] {
           return [=] {
             const problem one = what.make().front();
             return run(one, find_machine(machine), {.policy = policy}).host_time * 1e6;
           };
         }});
  };
  add_subject("hocket", placement_policies().front());
  add_subject("earliest-end", "earliest-end");
  return made;
}

std::vector<comparison> comparisons_of(const settings& wanted) {
  std::vector<comparison> all;
  for (const study& each : all_studies(wanted.quick)) {
    for (const problem_set& what : each.problems) {
      all.push_back(makespans_of(what, each.machine));
      if (what.name == "cholesky 40") all.push_back(host_times_of(what, each.machine));
    }
  }
  return all;
}

}  // namespace

}  // namespace hocket::bench

int main(int argc, char** argv) {
  return hocket::bench::run_bench(
      argc, argv, "bench_placement",
      "How far schedules on simulated machines are from the bound, by placement policy.",
      hocket::bench::comparisons_of, hocket::bench::summary::mean_ratios);
}
