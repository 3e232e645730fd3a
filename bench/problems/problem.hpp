// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hocket::bench {

/// The kinds of access of a task to a buffer.
enum class use : std::uint8_t { read, write, update };

/// A graph of tasks, and what each costs: independent of a machine but for the rates of its
/// kernels.
struct problem {
  struct access {
    std::size_t buffer = 0;
    use how = use::read;
  };
  /// A buffer, with its place in the grid of the problem.
  struct data {
    double bytes = 0;
    std::size_t row = 0;
    std::size_t column = 0;
  };
  struct task {
    std::size_t kernel = 0;
    double flops = 0;
    std::vector<access> accesses;
  };

  std::string name;
  std::vector<std::string> kernels;
  /// The rates of kernels that no machine file names, as shares of what each device does in
  /// general.
  struct rates {
    double cpu = 1, gpu = 1;
  };
  std::vector<rates> rates_of_kernels;  ///< of the first ones
  std::vector<data> buffers;
  std::vector<task> tasks;  ///< in the order in which they are submitted
  /// How buffers are dealt out to devices, where data begin on all of them: in turn along each side
  /// of the grid, or a rectangle of the grid for each device.
  enum class layout : std::uint8_t { cyclic, blocks };
  layout dealt = layout::cyclic;

  std::size_t add_buffer(double bytes, std::size_t row = 0, std::size_t column = 0) {
    buffers.push_back({bytes, row, column});
    return buffers.size() - 1;
  }
  /// Adds the kernel if it is new.
  [[nodiscard]] std::size_t kernel_called(const std::string& kernel);
  void add(const std::string& kernel, double flops, std::vector<access> accesses) {
    const std::size_t number = kernel_called(kernel);
    tasks.push_back({number, flops, std::move(accesses)});
  }
};

/// Factorizations and the product of matrices of tiles by tiles, each 960 x 960 single precision.
[[nodiscard]] problem cholesky(std::size_t tiles);
[[nodiscard]] problem lu(std::size_t tiles);
[[nodiscard]] problem qr(std::size_t tiles);
[[nodiscard]] problem gemm(std::size_t tiles);

/// Steps of a five-point stencil on a grid of rows by columns tiles, at least two of each, each
/// 4096 x 4096 single precision. A task updates its tile from the edges that the tiles beside it
/// have written in the step before.
[[nodiscard]] problem stencil(std::size_t rows, std::size_t columns, std::size_t steps);

/// Tasks of other shapes. A weight of one is so many flops.
struct weights {
  double flops = 15e9;
};
/// 200 tasks in twelve layers, of six kernels, with one to three predecessors and Pareto weights.
[[nodiscard]] problem random_graph(unsigned seed, weights unit);
/// 200 tasks without an order, the shortest first.
[[nodiscard]] problem independent(unsigned seed, weights unit);
/// Tasks of weight one without an order, each with a buffer of its own.
[[nodiscard]] problem equal_tasks(std::size_t count, weights unit);
/// A chain of 50 long tasks and 500 short ones beside it.
[[nodiscard]] problem chain_beside_small(bool chain_first, weights unit);
/// 300 tasks, 5 that read 60 results each, 300 again.
[[nodiscard]] problem wide_narrow_wide(weights unit);
/// Eight chains of 50 tasks, each on 8 MiB.
[[nodiscard]] problem chains_with_data(weights unit);

}  // namespace hocket::bench
