// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include "warp.hpp"

namespace standin {

namespace {

/// Instructions of a warp before the next one has its turn: one may wait for another.
constexpr unsigned slice = 20000;
/// Shared memory begins with these bytes; floating-point numbers of them are no numbers.
constexpr char unwritten = '\xFF';

void release_full_barriers(block_state& block, std::vector<warp>& warps) {
  for (unsigned id = 0; id < block.barriers.size(); ++id) {
    barrier_state& b = block.barriers[id];
    const unsigned expected = b.expected != 0 ? std::min(b.expected, block.alive) : block.alive;
    if (b.arrived == 0 || b.arrived < expected) continue;
    b.result_count = b.arrived;
    b.result_trues = b.trues;
    b.arrived = b.trues = 0;
    for (warp& w : warps) w.release(id);
  }
}

void run_block(block_state& block, std::vector<warp>& warps, dimensions at) {
  std::fill(block.shared.begin(), block.shared.end(), unwritten);
  block.barriers = {};
  block.alive = static_cast<unsigned>(block.launch.block.count());
  for (warp& w : warps) w.restart(at);
  while (block.alive > 0) {
    bool ran = false;
    for (warp& w : warps) {
      if (w.run(slice)) ran = true;
    }
    release_full_barriers(block, warps);
    if (!ran) {
      throw failure(launch_failed, "kernel " + block.launch.entry.name +
                                       ": threads of a block wait for one another for ever");
    }
  }
}

}  // namespace

void run_grid(const launch_state& launch, const std::atomic<int>& stop) {
  block_state block{launch, {}};
  block.shared.resize(launch.entry.shared_bytes + launch.dynamic_shared);
  std::vector<warp> warps;
  const auto count = static_cast<unsigned>((launch.block.count() + warp_lanes - 1) / warp_lanes);
  warps.reserve(count);
  for (unsigned w = 0; w < count; ++w) warps.emplace_back(block, w);
  for (unsigned z = 0; z < launch.grid.z; ++z) {
    for (unsigned y = 0; y < launch.grid.y; ++y) {
      for (unsigned x = 0; x < launch.grid.x; ++x) {
        if (stop.load(std::memory_order_relaxed) != success) return;
        run_block(block, warps, {x, y, z});
      }
    }
  }
}

}  // namespace standin
