// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/task_memory.hpp>

#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>

namespace hocket::detail {

namespace {

#if defined(__SANITIZE_ADDRESS__)
// Who uses a task that is gone is to be found: every block goes back to the system.
constexpr bool keeps_blocks = false;
#else
constexpr bool keeps_blocks = true;
#endif

/// Beyond this many magazines of one kind blocks go back to the system.
constexpr std::size_t most_magazines = 64;

}  // namespace

void task_memory::release(free_block* magazine) noexcept {
  while (magazine != nullptr) ::operator delete(std::exchange(magazine, magazine->next));
}

/// The magazines of one kind that no thread has.
class task_memory::depot {
 public:
  [[nodiscard]] free_block* take() noexcept {
    const std::scoped_lock lock(guard_);
    if (first_ == nullptr) return nullptr;
    --magazines_;
    return std::exchange(first_, first_->next_magazine);
  }

  void give(free_block* magazine, std::size_t count) noexcept {
    {
      const std::scoped_lock lock(guard_);
      if (magazines_ < most_magazines) {
        ++magazines_;
        magazine->count = count;
        magazine->next_magazine = std::exchange(first_, magazine);
        return;
      }
    }
    release(magazine);
  }

 private:
  std::mutex guard_;
  free_block* first_ = nullptr;
  std::size_t magazines_ = 0;
};

// Of the process: tasks outlive runtimes, and no thread owns what it has taken.
constinit std::array<task_memory::depot, task_memory::kinds + 1> task_memory::depots;
constinit thread_local std::array<task_memory::shelf, task_memory::kinds + 2>
    task_memory::shelves{};
constinit thread_local bool task_memory::closed = false;

/// Gives a thread's blocks away when it ends.
struct task_memory::closing {
  closing() = default;
  closing(const closing&) = delete;
  closing& operator=(const closing&) = delete;
  ~closing() {
    closed = true;
    for (std::size_t kind = 1; kind <= kinds; ++kind) {
      const shelf own = std::exchange(shelves[kind], {});
      if (own.blocks != nullptr) depots[kind].give(own.blocks, own.count);
      if (own.full != nullptr) depots[kind].give(own.full, magazine_size);
    }
  }
};

/// This thread has a block of its own for the first time, or may have.
void task_memory::stay_until_the_end() noexcept { static thread_local const closing at_end; }

/// Of another magazine, or of the system.
task_memory::block task_memory::restock(std::size_t kind) {
  stay_until_the_end();
  shelf& own = shelves[kind];
  if (keeps_blocks && !closed) {
    own.blocks = std::exchange(own.full, nullptr);
    own.count = magazine_size;
    if (own.blocks == nullptr) {
      own.blocks = depots[kind].take();
      own.count = own.blocks == nullptr ? 0 : own.blocks->count;
    }
    if (own.blocks != nullptr) return take(kind * step, 1);
  }
  return {::operator new(kind* step), static_cast<std::uint8_t>(kind)};
}

task_memory::block task_memory::take_other(std::size_t bytes, std::size_t alignment) {
  const std::size_t unit = std::max(alignment, alignof(std::max_align_t));
  void* const place = std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
  if (place == nullptr) throw std::bad_alloc();
  return {place, not_kept};
}

std::size_t task_memory::size_of_other(const void* place) noexcept {
  return ::malloc_usable_size(const_cast<void*>(place));
}

void task_memory::give_other(void* place, std::uint8_t kind) noexcept {
  if (kind == not_kept) return std::free(place);
  if (!keeps_blocks || closed) return ::operator delete(place);
  stay_until_the_end();
  shelf& own = shelves[kind];
  if (own.count == magazine_size) {
    if (own.full != nullptr) depots[kind].give(own.full, magazine_size);
    own.full = std::exchange(own.blocks, nullptr);
    own.count = 0;
  }
  put(own, place);
}

}  // namespace hocket::detail
