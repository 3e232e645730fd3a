// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// What a task costs that does nothing: ours, and those of others, in one process.

#include <cstring>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

std::vector<comparison> comparisons_of(const settings& wanted) {
  const std::size_t threads = wanted.threads;
  const char* const each = "ns/task";
  comparison host{"host_task",
                  "independent",
                  each,
                  threads,
                  {ours::host_tasks(wanted), onetbb::host_tasks(wanted)}};
  comparison get{"host_task",
                 "round_trip",
                 each,
                 threads,
                 {ours::async_get(wanted), onetbb::round_trip(wanted)}};
  comparison chain{"device_task", "chain", each, threads, {ours::device_chain(wanted, "NUMA0")}};
  comparison three{
      "three_buffers", "submit", each, threads, {ours::three_buffers(wanted, "NUMA0")}};
#ifdef HOCKET_BENCH_OPENMP
  host.contenders.push_back(openmp::host_tasks(wanted));
  get.contenders.push_back(openmp::round_trip(wanted));
  chain.contenders.push_back(openmp::chain(wanted));
  three.contenders.push_back(openmp::three_buffers(wanted));
#endif
  return {
      {"first_task", "from_main", "us", threads, {ours::first_task_of_process()}},
      {"first_task", "from_runtime", "us", threads, {ours::first_task_of_runtime()}},
      host,
      get,
      {"device_task", "independent", each, threads, {ours::device_tasks(wanted, "NUMA0")}},
      {"device_task", "round_trip", each, threads, {ours::device_round_trip(wanted, "NUMA0")}},
      chain,
      three,
      {"device_task_sim", "independent", each, threads, {ours::device_tasks(wanted, "Sim0")}},
      {"device_task_sim", "round_trip", each, threads, {ours::device_round_trip(wanted, "Sim0")}},
      {"device_task_sim", "chain", each, threads, {ours::device_chain(wanted, "Sim0")}},
      {"three_buffers_sim", "submit", each, threads, {ours::three_buffers(wanted, "Sim0")}},
  };
}

}  // namespace

}  // namespace hocket::bench

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "first-task") == 0) return hocket::bench::run_first_task();
  return hocket::bench::run_bench(argc, argv, "bench_submit",
                                  "What a task costs that does nothing, beside other runtimes.",
                                  hocket::bench::comparisons_of);
}
