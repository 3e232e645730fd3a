// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <harness/command.hpp>

namespace hocket::bench {

enum class tiled_algorithm : std::uint8_t { cholesky, gemm };

/// One algorithm on square matrices of tiles x tiles tiles with this edge.
struct tiled_problem {
  tiled_algorithm algorithm;
  std::size_t tiles;
  std::size_t edge;
};

/// A sample is the time of one run in milliseconds, from the first submission to the end of the
/// last task, with the data in the memory of the host when it begins. Each prepares one run whose
/// result it checks, and as many as it takes to learn what kernels take.
constexpr std::size_t runs_to_learn = 12;

/// Submits the tasks in each run, to all devices.
[[nodiscard]] contender hocket_tiled(const tiled_problem& what);
/// Only the device with this name computes; the others are there and stand idle.
[[nodiscard]] contender hocket_tiled_alone(const tiled_problem& what, const std::string& device,
                                           const std::string& subject);
/// Runs a recorded graph again.
[[nodiscard]] contender hocket_tiled_graph(const tiled_problem& what);

/// With so many workers on cores and one for each of so many OpenCL devices, by its policy dmda.
/// Workers never sleep: together they should be no more than there are cores.
[[nodiscard]] contender starpu_tiled(const tiled_problem& what, std::size_t threads,
                                     std::size_t opencl_devices);

}  // namespace hocket::bench
