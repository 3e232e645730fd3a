// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/command.hpp"
#include "run.hpp"

namespace hocket::bench {

namespace {

/// Problems of one kind, the mean of which is reported.
struct problem_set {
  std::string name;
  std::function<std::vector<problem>()> make;
};

struct study {
  std::string machine;
  double seconds_of_weight;  ///< what a task of weight one takes on the fastest device
  std::vector<problem_set> problems;
};

struct policy_name {
  const char* subject;
  const char* policy;
};

// The first is the one that is used if none is chosen.
constexpr policy_name policies[] = {{"hocket", "replanning"}, {"earliest-end", "earliest-end"}};

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
  }
  return all;
}

/// Asks once: the virtual clock gives the same answer every time.
sampler asked_once(std::function<double()> ask) {
  const auto answer = std::make_shared<double>(-1);
  return [ask = std::move(ask), answer] {
    if (*answer < 0) *answer = ask();
    return *answer;
  };
}

double mean_of(const problem_set& what, const std::string& machine, const std::string& policy,
               const std::function<double(const schedule&)>& value) {
  double sum = 0;
  const std::vector<problem> all = what.make();
  for (const problem& each : all) sum += value(run(each, find_machine(machine), policy));
  return sum / static_cast<double>(all.size());
}

std::vector<comparison> comparisons_of(const settings& wanted) {
  std::vector<comparison> all;
  for (const study& each : all_studies(wanted.quick)) {
    for (const problem_set& what : each.problems) {
      comparison made{each.machine + ", " + what.name, "makespan", "of the bound", 1, {}, 0};
      comparison host{made.name, "host_time", "us/task", 1, {}, 0};
      for (const policy_name& policy : policies) {
        made.contenders.push_back({policy.subject, [=, machine = each.machine] {
                                     return asked_once([=] {
                                       return mean_of(
                                           what, machine, policy.policy,
                                           [](const schedule& s) { return s.makespan / s.bound; });
                                     });
                                   }});
        host.contenders.push_back({policy.subject, [=, machine = each.machine] {
                                     return [=] {
                                       return mean_of(
                                           what, machine, policy.policy,
                                           [](const schedule& s) { return s.host_time * 1e6; });
                                     };
                                   }});
      }
      all.push_back(std::move(made));
      if (what.name == "cholesky 40") all.push_back(std::move(host));
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
