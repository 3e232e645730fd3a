// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/staged_copy.hpp>

#include <algorithm>
#include <cstring>

#include <hocket/streams/perform.hpp>

namespace hocket {

std::vector<staged_chunk> cut_into_chunks(const copy_command& what, std::uint64_t max_bytes,
                                          std::size_t max_runs) {
  std::vector<staged_chunk> chunks;
  std::uint64_t used = max_bytes;  // of the last one
  for_each_piece(what, [&](std::uint64_t offset, std::uint64_t bytes) {
    while (bytes > 0) {
      if (used == max_bytes || chunks.back().runs.size() == max_runs) {
        chunks.emplace_back();
        used = 0;
      }
      const std::uint64_t part = std::min(bytes, max_bytes - used);
      chunks.back().runs.push_back({offset, used, part});
      used += part;
      offset += part;
      bytes -= part;
    }
  });
  return chunks;
}

void move_chunk(const staged_chunk& what, copy_direction way, std::byte* array,
                std::byte* staging) {
  for (const staged_chunk::run& r : what.runs) {
    if (way == copy_direction::inbound) {
      std::memcpy(staging + r.staged, array + r.in_array, r.bytes);
    } else {
      std::memcpy(array + r.in_array, staging + r.staged, r.bytes);
    }
  }
}

}  // namespace hocket
