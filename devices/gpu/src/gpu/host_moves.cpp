// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "gpu/host_moves.hpp"

#include <cstring>

namespace hocket::gpu {

void host_moves::run(void* data) {
  const part& move = *static_cast<const part*>(data);
  const std::lock_guard lock(move.of->guard_);
  if (move.of->is_cancelled_) return;
  std::byte* packed = move.buffer;
  const copy_slab& s = move.what;
  for (std::size_t z = 0; z < s.region[2]; ++z) {
    for (std::size_t y = 0; y < s.region[1]; ++y) {
      std::byte* const row = move.array + s.offset() + y * s.row_pitch + z * s.slice_pitch;
      std::memcpy(move.to_array ? row : packed, move.to_array ? packed : row, s.region[0]);
      packed += s.region[0];
    }
  }
}

void host_moves::cancel() {
  const std::lock_guard lock(guard_);
  is_cancelled_ = true;
}

}  // namespace hocket::gpu
