// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <string>

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

/// Three-buffer tasks update so many buffers in turn, and all read the same two.
inline constexpr std::size_t updated_buffers = 16;

/// Where device tasks run: the runtime has no other device.
struct place {
  const char* device;
  bool pinned = true;  ///< the tasks name it, and are placed there; else the runtime decides
};

/// What is called by this name is measured in the same way for all subjects.
namespace ours {
[[nodiscard]] contender host_tasks(const settings& wanted);
/// Submitted by so many threads at once.
[[nodiscard]] contender host_tasks_from(const settings& wanted, std::size_t submitters);
[[nodiscard]] contender async_get(const settings& wanted);
[[nodiscard]] contender device_tasks(const settings& wanted, place where);
[[nodiscard]] contender device_round_trip(const settings& wanted, place where);
[[nodiscard]] contender device_chain(const settings& wanted, place where);
[[nodiscard]] contender three_buffers(const settings& wanted, place where);
[[nodiscard]] contender driver_round_trip(const settings& wanted, const std::string& device);
[[nodiscard]] contender driver_stream(const settings& wanted, const std::string& device);
/// The same kernels, recorded with `batch`.
[[nodiscard]] contender driver_graph(const settings& wanted, const std::string& device);
[[nodiscard]] contender first_task_of_runtime();
[[nodiscard]] contender first_task_of_process();
}  // namespace ours

namespace onetbb {
[[nodiscard]] contender host_tasks(const settings& wanted);
[[nodiscard]] contender round_trip(const settings& wanted);
}  // namespace onetbb

namespace openmp {
[[nodiscard]] contender host_tasks(const settings& wanted);
[[nodiscard]] contender round_trip(const settings& wanted);
[[nodiscard]] contender chain(const settings& wanted);
[[nodiscard]] contender three_buffers(const settings& wanted);
}  // namespace openmp

namespace starpu {
[[nodiscard]] contender tasks(const settings& wanted);
[[nodiscard]] contender round_trip(const settings& wanted);
[[nodiscard]] contender chain(const settings& wanted);
[[nodiscard]] contender three_buffers(const settings& wanted);
}  // namespace starpu

/// The API alone, used by hand: one kernel object, whose arguments are set once.
namespace by_hand {
[[nodiscard]] contender opencl_round_trip(const settings& wanted);
[[nodiscard]] contender opencl_stream(const settings& wanted);
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
