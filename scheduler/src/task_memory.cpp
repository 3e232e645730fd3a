// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/task_memory.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>

namespace hocket::detail {

namespace {

#if defined(__SANITIZE_ADDRESS__)
// Who uses a task that is gone is to be found: every block comes from the system.
constexpr bool keeps_blocks = false;
#else
constexpr bool keeps_blocks = true;
#endif

constexpr std::size_t step = 64;
constexpr std::size_t kinds = 16;  // of blocks that are kept: 64 bytes, 128, ...
constexpr std::uint8_t not_kept = 255;
constexpr std::size_t magazine_size = 32;
/// Beyond this many magazines of one kind blocks go back to the system.
constexpr std::size_t most_magazines = 64;

/// What a free block holds.
struct free_block {
  free_block* next;           ///< of its magazine
  free_block* next_magazine;  ///< of the depot; of the first block of a magazine
  std::size_t count;          ///< of blocks; likewise
};
static_assert(sizeof(free_block) <= step);

void release(free_block* magazine) noexcept {
  while (magazine != nullptr) ::operator delete(std::exchange(magazine, magazine->next));
}

/// The magazines of one kind that no thread has.
class depot {
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
constinit std::array<depot, kinds + 1> depots;

/// What one thread has of one kind.
struct shelf {
  free_block* blocks = nullptr;
  std::size_t count = 0;
  free_block* full = nullptr;  ///< a whole magazine, so that none goes to and fro
};

// In the part of a thread's memory that is found without a call, which has room for a few of these.
[[gnu::tls_model("initial-exec")]] constinit thread_local std::array<shelf, kinds + 1> shelves{};
[[gnu::tls_model("initial-exec")]] constinit thread_local bool closed = false;

/// Gives a thread's blocks away when it ends.
struct closing {
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

/// Another magazine of blocks, or null.
[[gnu::noinline]] free_block* restock(std::size_t kind, shelf& own) noexcept {
  static thread_local const closing at_end;
  if (closed) return nullptr;
  own.blocks = std::exchange(own.full, nullptr);
  own.count = magazine_size;
  if (own.blocks == nullptr) {
    own.blocks = depots[kind].take();
    own.count = own.blocks == nullptr ? 0 : own.blocks->count;
  }
  return own.blocks;
}

/// This thread has a block of its own for the first time.
[[gnu::noinline]] void begin_shelf() noexcept { static thread_local const closing at_end; }

[[gnu::noinline]] void make_room(std::size_t kind, shelf& own) noexcept {
  static thread_local const closing at_end;
  if (own.full != nullptr) depots[kind].give(own.full, magazine_size);
  own.full = std::exchange(own.blocks, nullptr);
  own.count = 0;
}

}  // namespace

task_memory::block task_memory::take(std::size_t bytes, std::size_t alignment) {
  const std::size_t kind = (bytes + step - 1) / step;
  if (!keeps_blocks || kind > kinds || alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
    const std::size_t unit = std::max(alignment, alignof(std::max_align_t));
    void* const place = std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
    if (place == nullptr) throw std::bad_alloc();
    return {place, not_kept};
  }
  shelf& own = shelves[kind];
  free_block* const found = own.blocks != nullptr ? own.blocks : restock(kind, own);
  if (found == nullptr) return {::operator new(kind* step), static_cast<std::uint8_t>(kind)};
  own.blocks = found->next;
  --own.count;
  return {found, static_cast<std::uint8_t>(kind)};
}

void task_memory::give_back(void* place, std::uint8_t kind) noexcept {
  if (kind == not_kept) return std::free(place);
  if (closed) return ::operator delete(place);
  shelf& own = shelves[kind];
  if (own.blocks == nullptr) begin_shelf();
  if (own.count == magazine_size) make_room(kind, own);
  own.blocks = ::new (place) free_block{own.blocks, nullptr, 0};
  ++own.count;
}

}  // namespace hocket::detail
