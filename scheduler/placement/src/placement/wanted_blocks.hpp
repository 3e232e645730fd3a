// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <hocket/core/access.hpp>
#include <hocket/core/ids.hpp>
#include <hocket/core/shape.hpp>
#include <hocket/memory/coherence.hpp>

#include "placement/request.hpp"

namespace hocket::placement {

/// A block that a task needs in the memory of its device.
struct wanted_block {
  data_id data;
  box region;  ///< the least box around all that the task uses of the buffer
  box band;    ///< of the block; a band of all of the buffer is a block for all of it
  std::uint64_t bytes = 0;
  bool is_there = false;  ///< the replica in this memory has room for the region, and stays
};
using wanted_blocks = std::vector<wanted_block>;

/// The blocks for a task in a memory of this many bytes, one for each buffer of which it uses
/// elements, in the order of its accesses. Blocks are for whole buffers, if those fit into the
/// memory together; else for bands of them, which have room for the neighbours of what the task
/// uses if a quarter of the memory suffices for that. In the memory of the host all are whole.
[[nodiscard]] wanted_blocks blocks_for(std::span<const task_access> accesses, memory_id memory,
                                       std::uint64_t capacity, const coherence& content);

/// The bytes of the least bands that have what the task uses of its buffers.
[[nodiscard]] std::uint64_t least_bytes(std::span<const task_access> accesses);

}  // namespace hocket::placement
