// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <harness/command.hpp>

namespace hocket::bench {

/// How many tasks one sample has.
struct task_counts {
  std::size_t host;             ///< submitted together
  std::size_t device;           ///< the same
  std::size_t round_trips;      ///< one after the other, each waited for
  std::size_t trips_to_driver;  ///< the same, of real devices
  std::size_t stream;           ///< of real devices, each behind the one before
};

[[nodiscard]] inline task_counts counts_for(const settings& wanted) {
  return wanted.quick ? task_counts{100, 50, 20, 5, 20}
                      : task_counts{20'000, 4'000, 2'000, 200, 1'000};
}

/// Tasks of one sample, and after how many of them it waits until all have ended.
struct load {
  std::size_t count;
  std::size_t at_once;
};

[[nodiscard]] inline load all_at_once(std::size_t count) { return {count, count}; }

/// So few that what they need is used again and again.
[[nodiscard]] inline load in_bursts(std::size_t count) {
  return {count, std::min<std::size_t>(count, 512)};
}

/// Calls work(n) for n tasks at once, until all tasks are done.
template <class Work>
void repeat(load whole, const Work& work) {
  for (std::size_t done = 0; done < whole.count; done += whole.at_once) {
    work(std::min(whole.at_once, whole.count - done));
  }
}

/// Three-buffer tasks update so many buffers in turn, and all read the same two.
inline constexpr std::size_t updated_buffers = 16;

/// Which way device tasks go.
enum class way {
  named,   ///< the tasks name their device, and are placed there
  placed,  ///< the placement chooses it, although there is one only
  free     ///< the runtime decides whether there is anything to place
};

/// Where device tasks run: the runtime has no other device.
struct place {
  const char* device;
  way by = way::named;
};

/// What is called by this name is measured in the same way for all subjects.
namespace ours {
[[nodiscard]] contender host_tasks(load tasks);
/// Each continues the one before.
[[nodiscard]] contender host_chain(load tasks);
/// Submitted by so many threads at once.
[[nodiscard]] contender host_tasks_from(const settings& wanted, std::size_t submitters);
[[nodiscard]] contender async_get(const settings& wanted);
/// The wait is one for all tasks of the runtime.
[[nodiscard]] contender async_wait(const settings& wanted);
/// Each task in a scope of its own, which is waited for.
[[nodiscard]] contender scope_of_one(const settings& wanted);
/// A recorded graph of one task, which is run and waited for.
[[nodiscard]] contender run_of_one(const settings& wanted);
[[nodiscard]] contender device_tasks(load tasks, place where);
[[nodiscard]] contender device_round_trip(const settings& wanted, place where);
[[nodiscard]] contender device_chain(load tasks, place where);
[[nodiscard]] contender three_buffers(load tasks, place where);
[[nodiscard]] contender driver_round_trip(const settings& wanted, const std::string& device);
[[nodiscard]] contender driver_stream(const settings& wanted, const std::string& device);
/// The same kernels, recorded with `batch`.
[[nodiscard]] contender driver_graph(const settings& wanted, const std::string& device);
/// Short kernels on a device that takes many ahead, and on one that takes two.
[[nodiscard]] std::vector<contender> short_kernels(load tasks);
/// Short functions with accesses, which each task brings.
[[nodiscard]] std::vector<contender> short_functions(load tasks);
/// Tasks in a runtime that keeps a trace, and in one that does not.
[[nodiscard]] std::vector<contender> traced_functions(load tasks);
/// The functions of a recorded chain.
[[nodiscard]] std::vector<contender> traced_graph(std::size_t count);
/// With one access each, which goes that way.
[[nodiscard]] std::vector<contender> traced_data_tasks(std::size_t count, way by);
[[nodiscard]] contender first_task_of_runtime();
[[nodiscard]] contender first_task_of_process();
}  // namespace ours

namespace onetbb {
[[nodiscard]] contender host_tasks(const settings& wanted, load tasks);
[[nodiscard]] contender round_trip(const settings& wanted);
/// By a node of a flow graph: a message for each task.
[[nodiscard]] contender flow_tasks(const settings& wanted, load tasks);
[[nodiscard]] contender flow_round_trip(const settings& wanted);
/// A node for each task, made and connected as the tasks of others are submitted.
[[nodiscard]] contender flow_chain(const settings& wanted, load tasks);
}  // namespace onetbb

namespace openmp {
[[nodiscard]] contender host_tasks(const settings& wanted, load tasks);
[[nodiscard]] contender round_trip(const settings& wanted);
[[nodiscard]] contender chain(const settings& wanted, load tasks);
[[nodiscard]] contender three_buffers(const settings& wanted, load tasks);
}  // namespace openmp

namespace starpu {
[[nodiscard]] contender tasks(const settings& wanted, load tasks);
[[nodiscard]] contender round_trip(const settings& wanted);
[[nodiscard]] contender chain(const settings& wanted, load tasks);
[[nodiscard]] contender three_buffers(const settings& wanted, load tasks);
}  // namespace starpu

/// The API alone, used by hand: one kernel object, whose arguments are set once.
namespace by_hand {
[[nodiscard]] contender opencl_round_trip(const settings& wanted);
[[nodiscard]] contender opencl_stream(const settings& wanted);
[[nodiscard]] contender cuda_round_trip(const settings& wanted);
[[nodiscard]] contender cuda_stream(const settings& wanted);
/// One graph that has all kernels, captured once.
[[nodiscard]] contender cuda_graph(const settings& wanted);
// device: what device_info::description says.
[[nodiscard]] contender vulkan_round_trip(const settings& wanted, const std::string& device);
/// One submission for each kernel.
[[nodiscard]] contender vulkan_stream(const settings& wanted, const std::string& device);
/// One submission of commands that have all kernels, with barriers between them.
[[nodiscard]] contender vulkan_commands(const settings& wanted, const std::string& device);
}  // namespace by_hand

/// The main function of a process that runs one host task and says on standard output how many
/// microseconds it took from here. first_task_of_process starts it.
[[nodiscard]] int run_first_task();

}  // namespace hocket::bench
