// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "last_post.hpp"

#include <atomic>

namespace hocket {
namespace {

constinit thread_local posted_item last_of_thread;

}  // namespace

std::uint64_t next_queue_number() noexcept {
  static std::atomic<std::uint64_t> numbers{0};
  // Only a number: relaxed.
  return numbers.fetch_add(1, std::memory_order_relaxed) + 1;
}

[[gnu::noinline]] posted_item last_post() noexcept { return last_of_thread; }
[[gnu::noinline]] void note_post(const posted_item& last) noexcept { last_of_thread = last; }

}  // namespace hocket
