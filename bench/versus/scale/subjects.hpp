// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>

#include <hocket/hocket.hpp>

#include <harness/command.hpp>

namespace hocket::bench {

/// Steps of a stencil that one sample takes.
inline constexpr std::size_t sweeps = 4;
/// How often each of the buffers that do not fit together is updated.
inline constexpr std::size_t rounds_of_evictions = 2;
/// How often each of many buffers is updated.
inline constexpr std::size_t accesses_to_each = 8;
/// Rounds of a recorded loop.
inline constexpr std::size_t rounds_of_loop = 4;
/// Elementwise tasks on one buffer, one after the other.
inline constexpr std::size_t steps_of_chain = 4;
/// Elements of a buffer that a kernel of the library adds to another.
inline constexpr std::size_t small_vector_length = 16;

/// How many tiles a square of tiles has along one side.
[[nodiscard]] constexpr std::size_t side_of(std::size_t tiles) {
  std::size_t side = 1;
  while ((side + 1) * (side + 1) <= tiles) ++side;
  return side;
}

namespace ours {
/// Each task reads a tile of one buffer with the cells around it, and writes that tile of another.
[[nodiscard]] contender stencil(std::size_t tiles);
/// Each task updates one row, placed; then the program looks at all of them.
[[nodiscard]] contender rows_and_view(std::size_t rows);
/// Two layers of tasks that update one row each, submitted while a task that writes all of the
/// buffer runs, without placement.
[[nodiscard]] contender rows_behind_a_writer(std::size_t rows);
/// Tasks that update overlapping boxes of random sizes, submitted while a task that writes all of
/// the buffer runs.
[[nodiscard]] contender boxes_behind_a_writer(std::size_t boxes, data_path by);
/// A factorization: each step has a task that updates the first column of what is left of one
/// buffer, and one that reads that column and the first row and updates the rest.
[[nodiscard]] contender factorization(std::size_t tasks, data_path by);
/// Tasks that update one buffer each, all in turn, placed.
[[nodiscard]] contender many_buffers(std::size_t buffers);
/// Tasks that update one buffer each, twice all in turn, on a simulated device whose memory holds
/// half of the buffers: each task needs another buffer evicted.
[[nodiscard]] contender more_than_fits(std::size_t buffers);
/// A recorded graph of one task for each buffer, which is run once more.
[[nodiscard]] contender graph_again(std::size_t buffers, data_path by);
/// The graph of graph_again, recorded with record_options::batch, once its runs submit batches.
[[nodiscard]] contender graph_in_batches(std::size_t buffers);
/// The tasks of that graph, submitted.
[[nodiscard]] contender submitted_anew(std::size_t buffers, data_path by);
/// Tasks that each add one buffer to another, both of small_vector_length elements, by a kernel of
/// the library: a recorded graph of them that is run once more, and submitted.
[[nodiscard]] contender kernels_again(std::size_t buffers);
[[nodiscard]] contender kernels_anew(std::size_t buffers);
/// A recorded loop whose rounds have one task for each buffer.
[[nodiscard]] contender loop(std::size_t buffers);
/// A recorded graph of tasks that each take a parameter, which all are set in the run.
[[nodiscard]] contender parameters(std::size_t count);
/// Recording a graph of chains of elementwise tasks, each chain fused into one task or not.
[[nodiscard]] contender recording(std::size_t chains, bool fuse);
/// Tasks that all run after one, and one that runs after all of them: attaching and running.
[[nodiscard]] contender fan_out(std::size_t edges);
[[nodiscard]] contender fan_in(std::size_t edges);
/// A task submits two tasks, each of them two more, and so on; then the program waits for all.
[[nodiscard]] contender tree(std::size_t tasks);
/// A recursion whose calls each spawn a task and wait for it, by its future or by a scope.
[[nodiscard]] contender recursion_by_get(std::size_t tasks);
[[nodiscard]] contender recursion_by_scopes(std::size_t tasks);
/// One task submits all others, which do nothing.
[[nodiscard]] contender spawned_by_one(std::size_t tasks);
}  // namespace ours

namespace starpu {
/// A handle for each tile; a task reads its own and those beside it.
[[nodiscard]] contender stencil(const settings& wanted, std::size_t tiles);
[[nodiscard]] contender many_buffers(const settings& wanted, std::size_t buffers);
}  // namespace starpu

/// Nodes of a flow graph, made and connected in the sample; tasks of one task_group, and of one for
/// each call of the recursion.
namespace onetbb {
[[nodiscard]] contender fan_out(const settings& wanted, std::size_t edges);
[[nodiscard]] contender fan_in(const settings& wanted, std::size_t edges);
[[nodiscard]] contender tree(const settings& wanted, std::size_t tasks);
[[nodiscard]] contender recursion(const settings& wanted, std::size_t tasks);
[[nodiscard]] contender spawned_by_one(const settings& wanted, std::size_t tasks);
}  // namespace onetbb

/// Tasks of a team that is made before the time is taken, with an address to depend on for each
/// buffer, or for each tile.
namespace openmp {
[[nodiscard]] contender stencil(const settings& wanted, std::size_t tiles);
[[nodiscard]] contender many_buffers(const settings& wanted, std::size_t buffers);
[[nodiscard]] contender submitted_anew(const settings& wanted, std::size_t buffers);
[[nodiscard]] contender kernels_anew(const settings& wanted, std::size_t buffers);
[[nodiscard]] contender fan_out(const settings& wanted, std::size_t edges);
[[nodiscard]] contender fan_in(const settings& wanted, std::size_t edges);
[[nodiscard]] contender tree(const settings& wanted, std::size_t tasks);
[[nodiscard]] contender recursion(const settings& wanted, std::size_t tasks);
[[nodiscard]] contender spawned_by_one(const settings& wanted, std::size_t tasks);
}  // namespace openmp

}  // namespace hocket::bench
