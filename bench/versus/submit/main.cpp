// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// What a task costs that does nothing: ours, and those of others, in one process.

#include <cstring>
#include <utility>

#include <hocket/hocket.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

void add_driver(std::vector<comparison>& all, const device_info& info, const settings& wanted) {
  const std::string& device = info.name;
  comparison get{
      device, "round_trip", "ns/task", wanted.threads, {ours::driver_round_trip(wanted, device)}};
  comparison stream{
      device, "stream", "ns/task", wanted.threads, {ours::driver_stream(wanted, device)}};
  comparison graph{
      device, "graph", "ns/task", wanted.threads, {ours::driver_graph(wanted, device)}};
#ifdef HOCKET_BENCH_OPENCL
  // By hand the first device is used that there is.
  if (device == "OpenCL0") {
    get.contenders.push_back(by_hand::opencl_round_trip(wanted));
    stream.contenders.push_back(by_hand::opencl_stream(wanted));
    graph.contenders.push_back(by_hand::opencl_stream(wanted));
  }
#endif
#ifdef HOCKET_BENCH_VULKAN
  if (info.backend == "vulkan") {
    get.contenders.push_back(by_hand::vulkan_round_trip(wanted, info.description));
    stream.contenders.push_back(by_hand::vulkan_stream(wanted, info.description));
    stream.contenders.push_back(by_hand::vulkan_commands(wanted, info.description));
    graph.contenders.push_back(by_hand::vulkan_commands(wanted, info.description));
  }
#endif
  all.push_back(std::move(get));
  all.push_back(std::move(stream));
  all.push_back(std::move(graph));
}

/// On every device that has a driver.
void add_drivers(std::vector<comparison>& all, const settings& wanted) {
  std::vector<device_info> devices;
  {
    runtime rt;
    devices = rt.devices();
  }
  for (const device_info& device : devices) {
    if (device.backend == "opencl" || device.backend == "vulkan") {
      add_driver(all, device, wanted);
    }
  }
}

std::vector<contender> empty_tasks(const settings& wanted, place where) {
  return {
      ours::device_tasks(wanted, where),
#ifdef HOCKET_BENCH_OPENMP
      openmp::host_tasks(wanted),
#endif
#ifdef HOCKET_BENCH_STARPU
      starpu::tasks(wanted),
#endif
  };
}

std::vector<contender> empty_round_trips(const settings& wanted, place where) {
  return {
      ours::device_round_trip(wanted, where),
#ifdef HOCKET_BENCH_OPENMP
      openmp::round_trip(wanted),
#endif
#ifdef HOCKET_BENCH_STARPU
      starpu::round_trip(wanted),
#endif
  };
}

std::vector<contender> chains(const settings& wanted, place where) {
  return {
      ours::device_chain(wanted, where),
#ifdef HOCKET_BENCH_OPENMP
      openmp::chain(wanted),
#endif
#ifdef HOCKET_BENCH_STARPU
      starpu::chain(wanted),
#endif
  };
}

std::vector<contender> three_buffers(const settings& wanted, place where) {
  return {
      ours::three_buffers(wanted, where),
#ifdef HOCKET_BENCH_OPENMP
      openmp::three_buffers(wanted),
#endif
#ifdef HOCKET_BENCH_STARPU
      starpu::three_buffers(wanted),
#endif
  };
}

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
#ifdef HOCKET_BENCH_OPENMP
  host.contenders.push_back(openmp::host_tasks(wanted));
  get.contenders.push_back(openmp::round_trip(wanted));
#endif
  const place pinned{"NUMA0"};
  const place free{"NUMA0", false};
  const place sim{"Sim0"};
  std::vector<comparison> all{
      {"first_task", "from_main", "us", threads, {ours::first_task_of_process()}},
      {"first_task", "from_runtime", "us", threads, {ours::first_task_of_runtime()}},
      host,
      get,
      {"host_task",
       "submitters",
       each,
       threads,
       {ours::host_tasks_from(wanted, 8), ours::host_tasks_from(wanted, 1)}},
      {"device_task", "independent", each, threads, empty_tasks(wanted, pinned)},
      {"device_task", "round_trip", each, threads, empty_round_trips(wanted, pinned)},
      {"device_task", "chain", each, threads, chains(wanted, pinned)},
      {"three_buffers", "submit", each, threads, three_buffers(wanted, pinned)},
      {"data_task", "no_access", each, threads, empty_tasks(wanted, free)},
      {"data_task", "round_trip", each, threads, empty_round_trips(wanted, free)},
      {"data_task", "one_access", each, threads, chains(wanted, free)},
      {"data_task", "three_accesses", each, threads, three_buffers(wanted, free)},
      {"device_task_sim", "independent", each, threads, {ours::device_tasks(wanted, sim)}},
      {"device_task_sim", "round_trip", each, threads, {ours::device_round_trip(wanted, sim)}},
      {"device_task_sim", "chain", each, threads, {ours::device_chain(wanted, sim)}},
      {"three_buffers_sim", "submit", each, threads, {ours::three_buffers(wanted, sim)}},
  };
  add_drivers(all, wanted);
  return all;
}

}  // namespace

}  // namespace hocket::bench

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "first-task") == 0) return hocket::bench::run_first_task();
  return hocket::bench::run_bench(argc, argv, "bench_submit",
                                  "What a task costs that does nothing, beside other runtimes.",
                                  hocket::bench::comparisons_of);
}
