// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/task_memory.hpp>

#include <malloc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <utility>

#include <hocket/core/sanitizers.hpp>

namespace hocket::detail {

namespace {

#if defined(HOCKET_ADDRESS_SANITIZER)
// Uses of tasks that are gone are to be found: every block goes back to the system.
constexpr bool keeps_blocks = false;
#else
constexpr bool keeps_blocks = true;
#endif

/// Beyond so much of all kinds together blocks go back to their slabs. Some thousands of tasks fit:
/// a program that submits so many at once, again and again, waits for the system's memory only
/// once.
constexpr std::size_t max_bytes = 4 * 1024 * 1024;

}  // namespace

/// Many blocks of one kind in one piece of the system's memory. It is aligned so that a block shows
/// where it is.
struct task_memory::slab {
  static constexpr std::size_t alignment = 8192;
  // So that what malloc puts between two of them does not keep them apart.
  static constexpr std::size_t bytes = alignment - 64;
  static constexpr std::size_t head = 64;

  [[nodiscard]] static constexpr std::size_t blocks(std::size_t kind) noexcept {
    return (bytes - head) / (kind * step);
  }
  [[nodiscard]] static slab* make(std::size_t kind) {
    void* place = nullptr;
    if (::posix_memalign(&place, alignment, bytes) != 0) throw std::bad_alloc();
    return ::new (place) slab{static_cast<std::uint32_t>(blocks(kind))};
  }
  [[nodiscard]] static slab* of(const void* block) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    return reinterpret_cast<slab*>(address &
                                   ~(alignment - 1));  // NOLINT(performance-no-int-to-ptr)
  }

  [[nodiscard]] void* block(std::size_t kind, std::size_t index) noexcept {
    return reinterpret_cast<std::byte*>(this) + head + index * kind * step;
  }
  /// So many of its blocks came back; no depot has the slab that all have come back to.
  void take_back(std::uint32_t count) noexcept {
    // Release and acquire pair with one another: the end comes after all uses.
    if (in_use.fetch_sub(count, std::memory_order_acq_rel) == count) std::free(this);
  }

  std::atomic<std::uint32_t> in_use;  ///< its blocks, also those that were not handed out as yet
};

void task_memory::release(free_block* magazine) noexcept {
  while (magazine != nullptr) {
    // Those that came together mostly go together.
    slab* const home = slab::of(magazine);
    std::uint32_t count = 0;
    for (; magazine != nullptr && slab::of(magazine) == home; ++count) magazine = magazine->next;
    home->take_back(count);
  }
}

/// The magazines of one kind that no thread has.
class task_memory::depot {
 public:
  [[nodiscard]] free_block* take(std::size_t kind) noexcept {
    const std::scoped_lock lock(guard_);
    if (first_ == nullptr) return nullptr;
    // A count, which orders nothing: relaxed here and below.
    kept_.fetch_sub(first_->count * kind * step, std::memory_order_relaxed);
    return std::exchange(first_, first_->next_magazine);
  }

  /// A magazine of blocks that were not handed out as yet. Throws std::bad_alloc.
  [[nodiscard]] free_block* make(std::size_t kind) {
    const range found = take_new(kind);
    free_block* made = nullptr;
    // The system may give the memory only now, which takes long: not under the lock.
    for (std::size_t i = found.count; i != 0; --i) {
      made = ::new (found.home->block(kind, found.first + i - 1)) free_block{made, nullptr, 0};
    }
    made->count = found.count;
    return made;
  }

  void give(free_block* magazine, std::size_t count, std::size_t kind) noexcept {
    const std::size_t bytes = count * kind * step;
    if (kept_.fetch_add(bytes, std::memory_order_relaxed) + bytes > max_bytes) {
      kept_.fetch_sub(bytes, std::memory_order_relaxed);
      return release(magazine);
    }
    magazine->count = count;
    const std::scoped_lock lock(guard_);
    magazine->next_magazine = std::exchange(first_, magazine);
  }

 private:
  struct range {
    slab* home;
    std::size_t first;
    std::size_t count;
  };

  [[nodiscard]] range take_new(std::size_t kind) {
    std::unique_lock lock(guard_);
    if (left_ == 0) {
      lock.unlock();
      slab* const fresh = slab::make(kind);
      lock.lock();
      // Another thread may have brought one meanwhile.
      if (left_ != 0) newest_->take_back(static_cast<std::uint32_t>(left_));
      newest_ = fresh;
      left_ = slab::blocks(kind);
    }
    const std::size_t count = std::min(left_, magazine_size);
    const std::size_t first = slab::blocks(kind) - left_;
    left_ -= count;
    return {newest_, first, count};
  }

  static constinit std::atomic<std::size_t> kept_;  ///< bytes in all of them

  std::mutex guard_;
  free_block* first_ = nullptr;
  slab* newest_ = nullptr;
  std::size_t left_ = 0;  // blocks of the newest slab that were not handed out as yet
};

constinit std::atomic<std::size_t> task_memory::depot::kept_{0};

// Of the process: tasks outlive runtimes, and no thread owns what it has taken.
constinit std::array<task_memory::depot, task_memory::kinds + 1> task_memory::depots;

// Neither can a block be taken from these nor put there: they are empty, and count as full.
constinit std::array<task_memory::shelf, task_memory::kinds + 2> task_memory::no_shelves = [] {
  std::array<shelf, kinds + 2> all{};
  for (shelf& each : all) each.count = magazine_size;
  return all;
}();
constinit thread_local task_memory::shelf* task_memory::own_shelves =
    task_memory::no_shelves.data();

/// What a thread keeps, and gives away when it ends. It is not in static thread-local storage, of
/// which the dynamic loader has little for libraries that are opened later.
struct task_memory::thread_part {
  thread_part() noexcept {
    shelves[not_kept] = no_shelves[not_kept];
    own_shelves = shelves.data();
  }
  thread_part(const thread_part&) = delete;
  thread_part& operator=(const thread_part&) = delete;
  ~thread_part() {
    own_shelves = no_shelves.data();
    closed = true;
    for (std::size_t kind = 1; kind <= kinds; ++kind) {
      const shelf& own = shelves[kind];
      if (own.blocks != nullptr) depots[kind].give(own.blocks, own.count, kind);
      if (own.full != nullptr) depots[kind].give(own.full, magazine_size, kind);
    }
  }

  std::array<shelf, kinds + 2> shelves{};
  static constinit thread_local bool closed;  ///< the thread ends
};
constinit thread_local bool task_memory::thread_part::closed = false;

inline void task_memory::put(shelf& own, void* place) noexcept {
  auto* const free = ::new (place) free_block;
  free->next = std::exchange(own.blocks, free);
  ++own.count;
}

void* task_memory::take_outside(std::uint8_t kind) { return take_from(own_shelves, kind); }

void task_memory::give_back(void* place, std::uint8_t kind) noexcept {
  shelf& own = own_shelves[kind];
  if (own.count == magazine_size) return give_other(place, kind);
  put(own, place);
}

/// Gives the calling thread shelves, unless it has some or had them.
void task_memory::get_shelves() noexcept { static thread_local thread_part own; }

/// Of another magazine, or of the system.
void* task_memory::restock(std::uint8_t kind) {
  if (!keeps_blocks) return ::operator new(kind* step);
  get_shelves();
  if (thread_part::closed) return take_for_good(kind);
  shelf& own = own_shelves[kind];
  own.blocks = std::exchange(own.full, nullptr);
  own.count = magazine_size;
  if (own.blocks == nullptr) {
    own.blocks = depots[kind].take(kind);
    if (own.blocks == nullptr) own.blocks = depots[kind].make(kind);
    own.count = own.blocks->count;
  }
  return take(kind);
}

/// In a thread that has given its blocks away already.
void* task_memory::take_for_good(std::uint8_t kind) {
  free_block* const all = depots[kind].make(kind);
  if (all->next != nullptr) depots[kind].give(all->next, all->count - 1, kind);
  return all;
}

void* task_memory::take_other(std::size_t bytes, std::size_t alignment) {
  const std::size_t unit = std::max(alignment, alignof(std::max_align_t));
  void* const place = std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
  if (place == nullptr) throw std::bad_alloc();
  return place;
}

std::size_t task_memory::size_of_other(const void* place) noexcept {
  return ::malloc_usable_size(const_cast<void*>(place));
}

void task_memory::give_other(void* place, std::uint8_t kind) noexcept {
  if (kind == not_kept) return std::free(place);
  if (!keeps_blocks) return ::operator delete(place);
  get_shelves();
  if (thread_part::closed) return release(::new (place) free_block{});
  shelf& own = own_shelves[kind];
  if (own.count == magazine_size) {
    if (own.full != nullptr) depots[kind].give(own.full, magazine_size, kind);
    own.full = std::exchange(own.blocks, nullptr);
    own.count = 0;
  }
  put(own, place);
}

}  // namespace hocket::detail
