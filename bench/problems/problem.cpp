// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>
#include <utility>

namespace hocket::bench {

namespace {

constexpr double edge = 960;
constexpr double megabyte = 1e6;
constexpr double stencil_edge = 4096;
constexpr double flops_of_stencil = 6;  // of a cell: two products, four sums

/// The tiles of a square matrix.
class matrix {
 public:
  matrix(problem& in, std::size_t tiles) : tiles_(tiles) {
    for (std::size_t i = 0; i < tiles * tiles; ++i) {
      numbers_.push_back(in.add_buffer(edge * edge * sizeof(float), i / tiles, i % tiles));
    }
  }
  [[nodiscard]] std::size_t operator()(std::size_t i, std::size_t j) const {
    return numbers_[i * tiles_ + j];
  }

 private:
  std::size_t tiles_;
  std::vector<std::size_t> numbers_;
};

problem::access in(std::size_t buffer) { return {buffer, use::read}; }
problem::access out(std::size_t buffer) { return {buffer, use::write}; }
problem::access inout(std::size_t buffer) { return {buffer, use::update}; }

/// Flops of a kernel on tiles: of a cube with this edge.
double cubes(double count) { return count * edge * edge * edge; }

/// Six kernels of which all but the first suit GPUs less, some much less.
class kernel_draw {
 public:
  kernel_draw(problem& to, unsigned seed) : engine_(seed * 7919 + 13) {
    for (int k = 0; k < 6; ++k) {
      (void)to.kernel_called("k" + std::to_string(k));
      problem::rates drawn;
      if (k > 0) drawn.gpu = std::exp(std::log(0.04) * uniform());
      if (k > 0) drawn.cpu = 0.4 + 0.6 * uniform();
      to.rates_of_kernels.push_back(drawn);
    }
  }
  /// From 0 to 1.
  double uniform() { return uniform_(engine_); }
  std::size_t below(std::size_t count) {
    return static_cast<std::size_t>(uniform() * static_cast<double>(count));
  }
  /// A weight, mostly about 1 and at most 100.
  double pareto() { return std::min(100.0, std::pow(1 - uniform(), -1 / 1.3)); }

 private:
  std::mt19937 engine_;
  std::uniform_real_distribution<double> uniform_{0, 1};
};

problem called(const char* name, std::size_t tiles) {
  problem made;
  made.name = std::string(name) + " " + std::to_string(tiles);
  return made;
}

}  // namespace

std::size_t problem::kernel_called(const std::string& kernel) {
  const auto at = std::ranges::find(kernels, kernel);
  if (at != kernels.end()) return static_cast<std::size_t>(at - kernels.begin());
  kernels.push_back(kernel);
  return kernels.size() - 1;
}

problem cholesky(std::size_t tiles) {
  problem made = called("cholesky", tiles);
  const matrix a(made, tiles);
  for (std::size_t k = 0; k < tiles; ++k) {
    made.add("potrf", cubes(1.0 / 3), {inout(a(k, k))});
    for (std::size_t i = k + 1; i < tiles; ++i) {
      made.add("trsm", cubes(1), {in(a(k, k)), inout(a(i, k))});
    }
    for (std::size_t j = k + 1; j < tiles; ++j) {
      made.add("syrk", cubes(1), {in(a(j, k)), inout(a(j, j))});
      for (std::size_t i = j + 1; i < tiles; ++i) {
        made.add("gemm", cubes(2), {in(a(i, k)), in(a(j, k)), inout(a(i, j))});
      }
    }
  }
  return made;
}

problem lu(std::size_t tiles) {
  problem made = called("lu", tiles);
  const matrix a(made, tiles);
  for (std::size_t k = 0; k < tiles; ++k) {
    made.add("getrf", cubes(2.0 / 3), {inout(a(k, k))});
    for (std::size_t i = k + 1; i < tiles; ++i) {
      made.add("trsm", cubes(1), {in(a(k, k)), inout(a(i, k))});
    }
    for (std::size_t i = k + 1; i < tiles; ++i) {
      made.add("trsm", cubes(1), {in(a(k, k)), inout(a(k, i))});
    }
    for (std::size_t i = k + 1; i < tiles; ++i) {
      for (std::size_t j = k + 1; j < tiles; ++j) {
        made.add("gemm", cubes(2), {in(a(i, k)), in(a(k, j)), inout(a(i, j))});
      }
    }
  }
  return made;
}

problem qr(std::size_t tiles) {
  problem made = called("qr", tiles);
  const matrix a(made, tiles);
  for (std::size_t k = 0; k < tiles; ++k) {
    made.add("geqrt", cubes(4.0 / 3), {inout(a(k, k))});
    for (std::size_t j = k + 1; j < tiles; ++j) {
      made.add("unmqr", cubes(2), {in(a(k, k)), inout(a(k, j))});
    }
    for (std::size_t i = k + 1; i < tiles; ++i) {
      made.add("tsqrt", cubes(2), {inout(a(k, k)), inout(a(i, k))});
      for (std::size_t j = k + 1; j < tiles; ++j) {
        made.add("tsmqr", cubes(4), {in(a(i, k)), inout(a(k, j)), inout(a(i, j))});
      }
    }
  }
  return made;
}

problem gemm(std::size_t tiles) {
  problem made = called("gemm", tiles);
  const matrix a(made, tiles), b(made, tiles), c(made, tiles);
  for (std::size_t i = 0; i < tiles; ++i) {
    for (std::size_t j = 0; j < tiles; ++j) {
      for (std::size_t k = 0; k < tiles; ++k) {
        made.add("gemm", cubes(2), {in(a(i, k)), in(b(k, j)), inout(c(i, j))});
      }
    }
  }
  return made;
}

namespace {

/// The two buffers for each of the four edges of a tile: what a step writes in one is read in the
/// next step, while that writes the other.
struct stencil_tile {
  std::size_t interior = 0;
  std::array<std::array<std::size_t, 4>, 2> edges{};
};

std::vector<stencil_tile> stencil_tiles(problem& to, std::size_t rows, std::size_t columns) {
  std::vector<stencil_tile> tiles(rows * columns);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const std::size_t row = i / columns, column = i % columns;
    tiles[i].interior = to.add_buffer(stencil_edge * stencil_edge * sizeof(float), row, column);
    for (auto& edges : tiles[i].edges) {
      for (std::size_t& each : edges) {
        each = to.add_buffer(stencil_edge * sizeof(float), row, column);
      }
    }
  }
  return tiles;
}

}  // namespace

problem stencil(std::size_t rows, std::size_t columns, std::size_t steps) {
  problem made;
  made.name = "stencil " + std::to_string(rows * columns * steps);
  made.dealt = problem::layout::blocks;
  const std::vector<stencil_tile> tiles = stencil_tiles(made, rows, columns);
  constexpr std::size_t above = 0, below = 1, left = 2, right = 3;
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      std::vector<problem::access> accesses{inout(tiles[i].interior)};
      const auto exchange = [&](bool there, std::size_t other, std::size_t own, std::size_t its) {
        if (!there) return;
        accesses.push_back(in(tiles[other].edges[(step + 1) % 2][its]));
        accesses.push_back(out(tiles[i].edges[step % 2][own]));
      };
      exchange(i >= columns, i - columns, above, below);
      exchange(i + columns < tiles.size(), i + columns, below, above);
      exchange(i % columns > 0, i - 1, left, right);
      exchange((i + 1) % columns > 0, i + 1, right, left);
      made.add("stencil", flops_of_stencil * stencil_edge * stencil_edge, std::move(accesses));
    }
  }
  return made;
}

problem random_graph(unsigned seed, weights unit) {
  constexpr std::size_t layers = 12, tasks = 200, widest = 32;
  problem made;
  made.name = "random " + std::to_string(seed);
  kernel_draw draw(made, seed);
  std::vector<std::size_t> before;
  std::size_t count = 0;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    const std::size_t left = tasks - count;
    const std::size_t width =
        layer + 1 == layers ? left : std::min(left - (layers - 1 - layer), 1 + draw.below(widest));
    std::vector<std::size_t> own;
    for (std::size_t i = 0; i < width; ++i, ++count) {
      std::vector<problem::access> accesses;
      std::set<std::size_t> chosen;
      if (!before.empty()) {
        for (std::size_t n = 1 + draw.below(3); n > 0; --n) {
          chosen.insert(before[draw.below(before.size())]);
        }
      }
      for (const std::size_t buffer : chosen) accesses.push_back(in(buffer));
      own.push_back(made.add_buffer(megabyte));
      accesses.push_back(out(own.back()));
      const std::size_t kernel = draw.uniform() < 0.5 ? 0 : draw.below(6);
      made.tasks.push_back({kernel, draw.pareto() * unit.flops, std::move(accesses)});
    }
    before = std::move(own);
  }
  return made;
}

problem independent(unsigned seed, weights unit) {
  problem made;
  made.name = "independent " + std::to_string(seed);
  kernel_draw draw(made, seed);
  std::vector<double> all(200);
  for (double& each : all) each = draw.pareto();
  std::ranges::sort(all);
  for (const double each : all) {
    made.add("k0", each * unit.flops, {inout(made.add_buffer(megabyte))});
  }
  return made;
}

problem equal_tasks(std::size_t count, weights unit) {
  problem made;
  made.name = "independent " + std::to_string(count);
  for (std::size_t i = 0; i < count; ++i) {
    made.add("k0", unit.flops, {inout(made.add_buffer(megabyte, 0, i))});
  }
  return made;
}

problem chain_beside_small(bool chain_first, weights unit) {
  problem made;
  made.name = chain_first ? "chain first" : "chain last";
  const auto add_chain = [&] {
    const std::size_t x = made.add_buffer(megabyte);
    for (int i = 0; i < 50; ++i) made.add("k0", 10 * unit.flops, {inout(x)});
  };
  if (chain_first) add_chain();
  for (int i = 0; i < 500; ++i) made.add("k0", unit.flops, {inout(made.add_buffer(megabyte))});
  if (!chain_first) add_chain();
  return made;
}

problem wide_narrow_wide(weights unit) {
  problem made;
  made.name = "wide-narrow-wide";
  std::vector<std::size_t> first, narrow;
  for (int i = 0; i < 300; ++i) {
    first.push_back(made.add_buffer(megabyte));
    made.add("k0", unit.flops, {out(first.back())});
  }
  for (std::size_t j = 0; j < 5; ++j) {
    std::vector<problem::access> accesses;
    for (std::size_t i = j * 60; i < j * 60 + 60; ++i) accesses.push_back(in(first[i]));
    narrow.push_back(made.add_buffer(megabyte));
    accesses.push_back(out(narrow.back()));
    made.add("k0", 8 * unit.flops, std::move(accesses));
  }
  for (std::size_t i = 0; i < 300; ++i) {
    made.add("k0", unit.flops, {in(narrow[i % 5]), out(made.add_buffer(megabyte))});
  }
  return made;
}

problem chains_with_data(weights unit) {
  problem made;
  made.name = "chains";
  std::vector<std::size_t> buffers;
  for (int c = 0; c < 8; ++c) buffers.push_back(made.add_buffer(8 << 20U));
  for (int i = 0; i < 50; ++i) {
    for (const std::size_t x : buffers) made.add("k0", 2 * unit.flops, {inout(x)});
  }
  return made;
}

}  // namespace hocket::bench
