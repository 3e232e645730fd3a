// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <hocket/scheduler/detail/task_block.hpp>

namespace hocket::detail {

/// Where tasks lie that are made and destroyed all the time, mostly in another thread than they
/// were made in. Each thread keeps some blocks of each size, and threads exchange them by the
/// magazine; what is not needed goes back to the system.
class task_memory {
 public:
  /// In what a task lies with so many bytes behind it.
  template <class Task>
  [[nodiscard]] static constexpr std::uint8_t kind_of(std::size_t more) noexcept {
    const std::size_t kind = (sizeof(Task) + more + step - 1) / step;
    const bool is_kept = kind <= kinds && alignof(Task) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;
    return is_kept ? static_cast<std::uint8_t>(kind) : not_kept;
  }

  /// Not inlined: a caller that waits may continue on another thread, and the compiler must not
  /// keep the address of the first thread's blocks.
  [[gnu::noinline]] static void give_back(void* place, std::uint8_t kind) noexcept;

  /// How large the block is.
  [[nodiscard]] static std::size_t size_of(const void* place, std::uint8_t kind) noexcept {
    return kind <= kinds ? kind * step : size_of_other(place);
  }

  /// Makes a task with so many bytes behind it, and so many references that its maker has to care
  /// for.
  template <class Task, class... Args>
  [[nodiscard]] static Task* make(std::uint32_t references, std::size_t more, Args&&... args) {
    const std::uint8_t kind = kind_of<Task>(more);
    void* const place = take_block<Task>(more);
    try {
      auto* const made = ::new (place) Task(std::forward<Args>(args)...);
      task_block& block = *made;
      block.block_ = kind;
      // No other thread knows the task as yet: relaxed.
      block.references_.store(references, std::memory_order_relaxed);
      return made;
    } catch (...) {
      give_back(place, kind);
      throw;
    }
  }

  /// Room for a T and so many bytes behind it, to be given back as of kind_of(). Throws
  /// std::bad_alloc.
  template <class T>
  [[nodiscard]] static void* take_block(std::size_t more) {
    const std::uint8_t kind = kind_of<T>(more);
    return kind == not_kept ? take_other(sizeof(T) + more, alignof(T)) : take(kind);
  }

  /// Room for one T that is no task, but is made and destroyed as often. Throws std::bad_alloc.
  template <class T>
  [[nodiscard]] static void* take_for() {
    static_assert(kind_of<T>(0) != not_kept);
    return take(kind_of<T>(0));
  }
  template <class T>
  static void give_back_for(void* place) noexcept {
    give_back(place, kind_of<T>(0));
  }

 private:
  class depot;
  struct slab;
  struct thread_part;

  /// What a free block holds.
  struct free_block {
    free_block* next;           ///< of its magazine
    free_block* next_magazine;  ///< of the depot; of the first block of a magazine
    std::size_t count;          ///< of blocks; likewise
  };
  /// What one thread has of one kind.
  struct shelf {
    free_block* blocks;
    std::size_t count;
    free_block* full;  ///< a whole magazine, so that none goes to and fro
  };

  static constexpr std::size_t step = 32;
  static constexpr std::size_t kinds = 32;             // of blocks that are kept: 32 bytes, 64, ...
  static constexpr std::uint8_t not_kept = kinds + 1;  // its shelf is always empty
  static constexpr std::size_t magazine_size = 32;
  static_assert(sizeof(free_block) <= step);

  static void put(shelf& own, void* place) noexcept;
  /// Throws std::bad_alloc.
  [[nodiscard]] static void* take(std::uint8_t kind) {
    // A program for x86-64 reads a thread-local pointer relative to %fs, in one instruction: no
    // address that belongs to the thread is left in a register while the caller waits. Elsewhere,
    // and in shared libraries, there would be one.
#if defined(__x86_64__) && (!defined(__PIC__) || defined(__PIE__))
    return take_from(own_shelves, kind);
#else
    return take_outside(kind);
#endif
  }
  [[nodiscard]] static void* take_from(shelf* shelves, std::uint8_t kind) {
    shelf& own = shelves[kind];
    if (own.blocks == nullptr) return restock(kind);
    --own.count;
    return std::exchange(own.blocks, own.blocks->next);
  }
  /// Not inlined: a caller that waits may continue on another thread.
  [[nodiscard, gnu::noinline]] static void* take_outside(std::uint8_t kind);
  [[nodiscard]] static void* take_other(std::size_t bytes, std::size_t alignment);
  [[nodiscard]] static void* restock(std::uint8_t kind);
  [[nodiscard]] static void* take_for_good(std::uint8_t kind);
  static void give_other(void* place, std::uint8_t kind) noexcept;
  [[nodiscard]] static std::size_t size_of_other(const void* place) noexcept;
  static void release(free_block* magazine) noexcept;
  static void get_shelves() noexcept;

  static std::array<depot, kinds + 1> depots;
  /// Those of the calling thread, one for each kind; no_shelves before its first block, and when it
  /// has given its blocks away.
  static constinit thread_local shelf* own_shelves;
  static std::array<shelf, kinds + 2> no_shelves;  ///< always empty
};

template <class Task, class... Args>
[[nodiscard]] boost::intrusive_ptr<Task> make_task(std::size_t more, Args&&... args) {
  return {task_memory::make<Task>(1, more, std::forward<Args>(args)...), false};
}

}  // namespace hocket::detail
