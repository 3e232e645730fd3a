// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// What a graph of empty host tasks costs: to build, to run first, to run again, to destroy, to
// keep.

#include <malloc.h>

#include <harness/command.hpp>

#include "shapes.hpp"
#include "subjects.hpp"

namespace hocket::bench {

namespace {

using maker_ptr = std::shared_ptr<graph_maker>;
using shape_ptr = std::shared_ptr<const shape>;

double each(const shape& what, double sum) { return sum / static_cast<double>(what.size()); }

double bytes_in_use() {
  const struct mallinfo2 now = ::mallinfo2();
  return static_cast<double>(now.uordblks) + static_cast<double>(now.hblkhd);
}

sampler sample_build(const maker_ptr& maker, const shape_ptr& what) {
  return [maker, what] {
    std::unique_ptr<built_graph> made;
    return each(*what, nanoseconds_of([&] { made = maker->build(*what); }));
  };
}

sampler sample_first_run(const maker_ptr& maker, const shape_ptr& what) {
  return [maker, what] {
    const auto made = maker->build(*what);
    return each(*what, nanoseconds_of([&] { made->run(); }));
  };
}

sampler sample_rerun(const maker_ptr& maker, const shape_ptr& what) {
  return [maker, what, made = std::shared_ptr<built_graph>(maker->build(*what))] {
    return each(*what, nanoseconds_of([&] { made->run(); }));
  };
}

sampler sample_destroy(const maker_ptr& maker, const shape_ptr& what) {
  return [maker, what] {
    auto made = maker->build(*what);
    made->run();
    return each(*what, nanoseconds_of([&] { made.reset(); }));
  };
}

sampler sample_bytes(const maker_ptr& maker, const shape_ptr& what) {
  return [maker, what] {
    const double before = bytes_in_use();
    const auto made = maker->build(*what);
    return each(*what, bytes_in_use() - before);
  };
}

struct measurement {
  const char* metric;
  const char* unit;
  sampler (*sample)(const maker_ptr& maker, const shape_ptr& what);
  bool of_what_is_kept;  ///< means nothing for subjects that keep no graphs
  bool takes_time = true;
};

constexpr measurement measurements[] = {
    {"build", "ns/task", sample_build, true},
    {"first_run", "ns/task", sample_first_run, false},
    {"rerun", "ns/task", sample_rerun, false},
    {"destroy", "ns/task", sample_destroy, true},
    {"memory", "bytes/task", sample_bytes, true, false},
};

std::vector<graph_subject> all_subjects() {
  return {
      ours::empty_graphs(),
      ours::empty_tasks_after_futures(),
      onetbb::empty_flow_graphs(),
      onetbb::empty_counted_graphs(),
#ifdef HOCKET_BENCH_OPENMP
      openmp::empty_task_graphs(),
#endif
#ifdef HOCKET_BENCH_STARPU
      starpu::empty_declared_graphs(),
#endif
  };
}

std::vector<comparison> comparisons_of(const settings& wanted) {
  std::vector<comparison> all;
  for (const shape& one : all_shapes(wanted.quick ? 100 : 20'000)) {
    const auto what = std::make_shared<const shape>(one);
    for (const measurement& m : measurements) {
      comparison made{one.name,       m.metric, m.unit,
                      wanted.threads, {},       m.takes_time ? one.size() : 0};
      for (const graph_subject& subject : all_subjects()) {
        if (m.of_what_is_kept && !subject.keeps_graphs) continue;
        made.contenders.push_back(
            {subject.name, [sample = m.sample, start = subject.start, what,
                            threads = wanted.threads] { return sample(start(threads), what); }});
      }
      all.push_back(std::move(made));
    }
  }
  return all;
}

}  // namespace

}  // namespace hocket::bench

int main(int argc, char** argv) {
  return hocket::bench::run_bench(argc, argv, "bench_graph",
                                  "What a graph of empty host tasks costs, beside other runtimes.",
                                  hocket::bench::comparisons_of);
}
