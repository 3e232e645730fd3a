// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <hocket/streams/command.hpp>

namespace hocket {

enum class copy_direction : std::uint8_t { inbound, outbound };

/// Bytes of a copy that go through a staging buffer together.
struct staged_chunk {
  /// Bytes that lie together in the array and in the staging buffer.
  struct run {
    std::uint64_t in_array = 0;
    std::uint64_t staged = 0;
    std::uint64_t bytes = 0;
  };
  std::vector<run> runs;
};

/// Cuts a copy into chunks of at most so many bytes and runs.
[[nodiscard]] std::vector<staged_chunk> cut_into_chunks(const copy_command& what,
                                                        std::uint64_t max_bytes,
                                                        std::size_t max_runs);

/// Fills the staging buffer from the array of the host, or empties it there.
void move_chunk(const staged_chunk& what, copy_direction way, std::byte* array, std::byte* staging);

}  // namespace hocket
