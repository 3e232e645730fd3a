// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/wanted_blocks.hpp"

#include <algorithm>

#include <hocket/core/saturating.hpp>
#include <hocket/memory/band.hpp>

#include "placement/machine.hpp"
#include "placement/tracked_buffer.hpp"

namespace hocket::placement {

namespace {

/// The part of one buffer that a task uses.
struct used_region {
  const tracked_buffer* buffer;
  box region;

  [[nodiscard]] std::uint64_t bytes_of(const box& band) const {
    return std::uint64_t{band.elements()} * buffer->element_size;
  }
  [[nodiscard]] box least_band() const { return band_around(region, buffer->all.end); }
};

std::vector<used_region> used_by(std::span<const task_access> accesses) {
  std::vector<used_region> used;
  for (const task_access& a : accesses) {
    if (a.is_empty()) continue;
    const auto found = std::ranges::find(used, a.buffer, &used_region::buffer);
    if (found == used.end()) {
      used.push_back({a.buffer, a.region()});
    } else {
      found->region = bounding_box(found->region, a.region());
    }
  }
  return used;
}

std::uint64_t sum_of(const wanted_blocks& blocks) {
  std::uint64_t sum = 0;
  for (const wanted_block& each : blocks) sum = saturating_add(sum, each.bytes);
  return sum;
}

}  // namespace

wanted_blocks blocks_for(std::span<const task_access> accesses, memory_id memory,
                         std::uint64_t capacity, const coherence& content) {
  constexpr std::uint64_t part_of_memory = 4;
  const std::vector<used_region> used = used_by(accesses);
  wanted_blocks blocks;
  for (const used_region& each : used) {
    const data_id data = each.buffer->id;
    wanted_block& made = blocks.emplace_back(wanted_block{data, each.region, each.buffer->all});
    made.bytes = content.bytes(data);
    made.is_there = content.has_room(data, each.region, memory);
    if (made.is_there) made.bytes = content.bytes(data, memory);
  }
  if (memory == host_memory || sum_of(blocks) <= capacity) return blocks;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (blocks[i].is_there) continue;
    blocks[i].band =
        band_around(used[i].region, used[i].buffer->all.end, used[i].buffer->element_size,
                    capacity / part_of_memory / used.size());
    blocks[i].bytes = used[i].bytes_of(blocks[i].band);
  }
  if (sum_of(blocks) <= capacity) return blocks;
  for (std::size_t i = 0; i < used.size(); ++i) {
    const box least = used[i].least_band();
    const std::uint64_t bytes = used[i].bytes_of(least);
    if (blocks[i].is_there && blocks[i].bytes == bytes) continue;
    blocks[i].band = least;
    blocks[i].bytes = bytes;
    blocks[i].is_there = false;
  }
  return blocks;
}

std::uint64_t least_bytes(std::span<const task_access> accesses) {
  std::uint64_t sum = 0;
  for (const used_region& each : used_by(accesses)) {
    sum = saturating_add(sum, each.bytes_of(each.least_band()));
  }
  return sum;
}

}  // namespace hocket::placement
