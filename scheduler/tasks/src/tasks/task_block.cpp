// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/task_block.hpp>

#include <hocket/scheduler/detail/task_memory.hpp>

namespace hocket::detail {

std::size_t task_block::held_bytes() const noexcept {
  // What was made by new has no closure, and nothing behind it.
  constexpr std::size_t made_by_new = 256;
  return block_ == 0 ? made_by_new : task_memory::size_of(this, block_);
}

bool task_block::add(std::unique_ptr<added_part> part) noexcept {
  added_part* present = nullptr;
  // Release: pairs with the acquire in added(), and with the releases of references.
  if (!added_.compare_exchange_strong(present, part.get(), std::memory_order_release,
                                      std::memory_order_relaxed)) {
    return false;
  }
  (void)part.release();
  return true;
}

void task_block::drop_added() noexcept { delete added_.load(); }

void task_block::destroy() noexcept {
  if (!leaves_nothing_ || has_added()) return destroy_all();
  task_memory::give_back(this, block_);
}

void task_block::destroy_all() noexcept {
  if (block_ == 0) {
    delete this;
    return;
  }
  const std::uint8_t block = block_;
  this->~task_block();
  task_memory::give_back(this, block);
}

}  // namespace hocket::detail
