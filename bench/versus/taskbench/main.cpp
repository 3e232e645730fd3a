// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The method of Task Bench: how short tasks may be until a runtime costs half of the machine.

#include <algorithm>
#include <bit>
#include <memory>

#include <harness/command.hpp>

#include "patterns.hpp"
#include "subjects.hpp"
#include "sweep.hpp"

namespace hocket::bench {

namespace {

using subject_of = graph_subject (*)(const work_of_tasks&);

std::vector<subject_of> all_subjects() {
  return {
      ours::working_graphs,
      onetbb::working_flow_graphs,
      onetbb::working_counted_graphs,
#ifdef HOCKET_BENCH_OPENMP
      openmp::working_task_graphs,
#endif
#ifdef HOCKET_BENCH_STARPU
      starpu::working_declared_graphs,
#endif
  };
}

/// One subject at one graph.
struct bench {
  bench(const shape& what, const sweep_limits& wanted, subject_of of)
      : pattern(what),
        limits(wanted),
        work(pattern),
        subject(of({&work})),
        maker(subject.start(limits.threads)),
        kept(maker->build(pattern)) {
    for (int i = 0; i < checked_runs; ++i) {
      work.check(subject.name, [&] { kept->run(); });
    }
  }

  [[nodiscard]] double first_run() {
    return metg50(limits, [this](std::uint64_t iterations) {
      work.set_iterations(iterations);
      return nanoseconds_of([this] { maker->build(pattern)->run(); });
    });
  }

  [[nodiscard]] double rerun() {
    return metg50(limits, [this](std::uint64_t iterations) {
      work.set_iterations(iterations);
      return nanoseconds_of([this] { kept->run(); });
    });
  }

  static constexpr int checked_runs = 3;

  shape pattern;
  sweep_limits limits;
  graph_work work;
  graph_subject subject;
  std::unique_ptr<graph_maker> maker;
  std::unique_ptr<built_graph> kept;
};

comparison compare(const shape& what, const sweep_limits& limits, const char* metric,
                   double (bench::*sample)(), bool of_kept_graphs) {
  comparison made{what.name, metric, "us", limits.threads, {}};
  for (const subject_of of : all_subjects()) {
    const graph_subject subject = of({});
    if (of_kept_graphs && !subject.keeps_graphs) continue;
    made.contenders.push_back({subject.name, [=] {
                                 const auto home = std::make_shared<bench>(what, limits, of);
                                 return [home, sample] { return ((*home).*sample)() / 1e3; };
                               }});
  }
  return made;
}

std::vector<comparison> comparisons_of(const settings& wanted) {
  const std::size_t width = std::bit_ceil(std::max<std::size_t>(8, 4 * wanted.threads));
  const std::size_t steps = wanted.quick ? 8 : 512;
  sweep_limits limits{0, wanted.threads, nanoseconds_per_iteration(wanted.threads),
                      wanted.quick ? 100.0 : 64e3};
  std::vector<comparison> all;
  for (const shape& what : task_bench_patterns(width, steps)) {
    limits.tasks = what.size();
    all.push_back(compare(what, limits, "metg50", &bench::first_run, false));
    all.push_back(compare(what, limits, "metg50_rerun", &bench::rerun, true));
  }
  return all;
}

}  // namespace

}  // namespace hocket::bench

int main(int argc, char** argv) {
  return hocket::bench::run_bench(
      argc, argv, "bench_taskbench",
      "How short tasks may be until a runtime costs half of the machine, by the method of Task "
      "Bench, beside other runtimes.",
      hocket::bench::comparisons_of, hocket::bench::summary::mean_ratios);
}
