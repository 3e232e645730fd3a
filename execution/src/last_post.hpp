// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>

namespace hocket {

/// A bare item that a thread which is no worker has posted to a ring.
struct posted_item {
  std::uint64_t queue = 0;  ///< the number of its node_queue
  std::size_t number = 0;   ///< in the ring
  const void* what = nullptr;
};

/// A number that this returns to no other caller.
[[nodiscard]] std::uint64_t next_queue_number() noexcept;

// Not inlined, and with their variable in a file of their own: see current_item().
/// The last item of the calling thread.
[[nodiscard]] posted_item last_post() noexcept;
void note_post(const posted_item& last) noexcept;

}  // namespace hocket
