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
#ifdef HOCKET_BENCH_CUDA
  if (device == "CUDA0") {
    get.contenders.push_back(by_hand::cuda_round_trip(wanted));
    stream.contenders.push_back(by_hand::cuda_stream(wanted));
    graph.contenders.push_back(by_hand::cuda_stream(wanted));
    graph.contenders.push_back(by_hand::cuda_graph(wanted));
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
    if (device.backend == "cuda" || device.backend == "opencl" || device.backend == "vulkan") {
      add_driver(all, device, wanted);
    }
  }
}

std::vector<contender> empty_tasks(const settings& wanted, load tasks, place where) {
  return {
      ours::device_tasks(tasks, where),
#ifdef HOCKET_BENCH_OPENMP
      openmp::host_tasks(wanted, tasks),
#endif
#ifdef HOCKET_BENCH_STARPU
      starpu::tasks(wanted, tasks),
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

std::vector<contender> chains(const settings& wanted, load tasks, place where) {
  return {
      ours::device_chain(tasks, where),
#ifdef HOCKET_BENCH_OPENMP
      openmp::chain(wanted, tasks),
#endif
#ifdef HOCKET_BENCH_STARPU
      starpu::chain(wanted, tasks),
#endif
  };
}

std::vector<contender> three_buffers(const settings& wanted, load tasks, place where) {
  return {
      ours::three_buffers(tasks, where),
#ifdef HOCKET_BENCH_OPENMP
      openmp::three_buffers(wanted, tasks),
#endif
#ifdef HOCKET_BENCH_STARPU
      starpu::three_buffers(wanted, tasks),
#endif
  };
}

comparison host_tasks(const char* metric, load tasks, const settings& wanted) {
  return {"host_task",
          metric,
          "ns/task",
          wanted.threads,
          {
              ours::host_tasks(tasks),
              onetbb::host_tasks(wanted, tasks),
              onetbb::flow_tasks(wanted, tasks),
#ifdef HOCKET_BENCH_OPENMP
              openmp::host_tasks(wanted, tasks),
#endif
          },
          tasks.count};
}

comparison host_chains(const char* metric, load tasks, const settings& wanted) {
  return {"host_task",
          metric,
          "ns/task",
          wanted.threads,
          {
              ours::host_chain(tasks),
              onetbb::flow_chain(wanted, tasks),
#ifdef HOCKET_BENCH_OPENMP
              openmp::chain(wanted, tasks),
#endif
          },
          tasks.count};
}

/// Without access, with one and with three, on devices that have no driver.
void add_device_tasks(std::vector<comparison>& all, const settings& wanted) {
  const auto add = [&](const char* name, const char* metric, std::vector<contender> contenders,
                       std::size_t tasks) {
    all.push_back({name, metric, "ns/task", wanted.threads, std::move(contenders), tasks});
  };
  const std::size_t many = counts_for(wanted).device;
  const std::size_t trips = counts_for(wanted).round_trips;
  const load together = all_at_once(many);
  const load bursts = in_bursts(many);
  const place named{"NUMA0"};
  add("device_task", "independent", empty_tasks(wanted, together, named), many);
  add("device_task", "round_trip", empty_round_trips(wanted, named), trips);
  add("device_task", "chain", chains(wanted, together, named), many);
  add("three_buffers", "submit", three_buffers(wanted, together, named), many);
  for (const auto& [name, where] : {std::pair{"data_task", place{"NUMA0", way::free}},
                                    std::pair{"placed_task", place{"NUMA0", way::placed}}}) {
    add(name, "no_access", empty_tasks(wanted, together, where), many);
    add(name, "round_trip", empty_round_trips(wanted, where), trips);
    add(name, "one_access", chains(wanted, together, where), many);
    add(name, "three_accesses", three_buffers(wanted, together, where), many);
    add(name, "no_access_bursts", empty_tasks(wanted, bursts, where), many);
    add(name, "one_access_bursts", chains(wanted, bursts, where), many);
    add(name, "three_accesses_bursts", three_buffers(wanted, bursts, where), many);
  }
  add("placed_task", "short_kernels", ours::short_kernels(bursts), many);
  add("placed_task", "short_functions", ours::short_functions(bursts), many);
  const place sim{"Sim0"};
  add("device_task_sim", "independent", {ours::device_tasks(together, sim)}, many);
  add("device_task_sim", "round_trip", {ours::device_round_trip(wanted, sim)}, trips);
  add("device_task_sim", "chain", {ours::device_chain(together, sim)}, many);
  add("three_buffers_sim", "submit", {ours::three_buffers(together, sim)}, many);
}

comparison host_round_trips(const settings& wanted) {
  return {"host_task",
          "round_trip",
          "ns/task",
          wanted.threads,
          {
              ours::async_get(wanted),
              ours::async_wait(wanted),
              ours::scope_of_one(wanted),
              ours::run_of_one(wanted),
              onetbb::round_trip(wanted),
              onetbb::flow_round_trip(wanted),
#ifdef HOCKET_BENCH_OPENMP
              openmp::round_trip(wanted),
#endif
          },
          counts_for(wanted).round_trips};
}

void add_traced_tasks(std::vector<comparison>& all, const settings& wanted) {
  const auto add = [&](const char* metric, std::vector<contender> contenders, std::size_t tasks) {
    all.push_back({"traced", metric, "ns/task", wanted.threads, std::move(contenders), tasks});
  };
  const task_counts counts = counts_for(wanted);
  add("functions", ours::traced_functions(in_bursts(counts.host)), counts.host);
  add("graph", ours::traced_graph(counts.host), counts.host);
  add("data_task", ours::traced_data_tasks(counts.device, way::free), counts.device);
  add("placed_task", ours::traced_data_tasks(counts.device, way::placed), counts.device);
}

std::vector<comparison> comparisons_of(const settings& wanted) {
  const std::size_t threads = wanted.threads;
  const std::size_t many = counts_for(wanted).host;
  std::vector<comparison> all{
      {"first_task", "from_main", "us", threads, {ours::first_task_of_process()}},
      {"first_task", "from_runtime", "us", threads, {ours::first_task_of_runtime()}},
      host_tasks("independent", all_at_once(many), wanted),
      host_tasks("bursts", in_bursts(many), wanted),
      host_chains("chain", in_bursts(many), wanted),
      host_round_trips(wanted),
      {"host_task",
       "submitters",
       "ns/task",
       threads,
       {ours::host_tasks_from(wanted, 8), ours::host_tasks_from(wanted, 1)}},
  };
  add_device_tasks(all, wanted);
  add_traced_tasks(all, wanted);
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
