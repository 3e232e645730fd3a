// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <hocket/scheduler/detail/completion.hpp>

namespace hocket::detail {

/// Where tasks lie that are made and destroyed all the time, mostly in another thread than they
/// were made in. Each thread keeps some blocks of each size, and threads exchange them by the
/// magazine; what nobody needs goes back to the system.
class task_memory {
 public:
  /// In what a task lies with so many bytes behind it.
  template <class Task>
  [[nodiscard]] static constexpr std::uint8_t kind_of(std::size_t more) noexcept {
    const std::size_t kind = (sizeof(Task) + more + step - 1) / step;
    const bool is_kept = kind <= kinds && alignof(Task) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;
    return is_kept ? static_cast<std::uint8_t>(kind) : not_kept;
  }

  static void give_back(void* place, std::uint8_t kind) noexcept {
    shelf& own = shelves[kind];
    // Neither the first, nor one too many.
    if (own.blocks == nullptr || own.count == magazine_size) return give_other(place, kind);
    put(own, place);
  }

  /// How large the block is.
  [[nodiscard]] static std::size_t size_of(const void* place, std::uint8_t kind) noexcept {
    return kind <= kinds ? kind * step : size_of_other(place);
  }

  /// Makes a task with so many bytes behind it, and so many references that its maker has to care
  /// for.
  template <class Task, class... Args>
  [[nodiscard]] static Task* make(std::uint32_t references, std::size_t more, Args&&... args) {
    const std::uint8_t kind = kind_of<Task>(more);
    void* const place =
        kind == not_kept ? take_other(sizeof(Task) + more, alignof(Task)) : take(kind);
    try {
      auto* const made = ::new (place) Task(std::forward<Args>(args)...);
      completion& state = *made;
      state.block_ = kind;
      // Nobody else knows the task as yet: relaxed.
      state.references_.store(references, std::memory_order_relaxed);
      return made;
    } catch (...) {
      give_back(place, kind);
      throw;
    }
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
  struct closing;
  struct shelf;

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

  static void put(shelf& own, void* place) noexcept {
    auto* const free = ::new (place) free_block;
    free->next = std::exchange(own.blocks, free);
    ++own.count;
  }
  /// Throws std::bad_alloc.
  [[nodiscard]] static void* take(std::uint8_t kind) {
    shelf& own = shelves[kind];
    if (own.blocks == nullptr) return restock(kind);
    --own.count;
    return std::exchange(own.blocks, own.blocks->next);
  }
  [[nodiscard]] static void* take_other(std::size_t bytes, std::size_t alignment);
  [[nodiscard]] static void* restock(std::uint8_t kind);
  [[nodiscard]] static void* take_for_good(std::uint8_t kind);
  static void give_other(void* place, std::uint8_t kind) noexcept;
  [[nodiscard]] static std::size_t size_of_other(const void* place) noexcept;
  static void release(free_block* magazine) noexcept;
  static void stay_until_the_end() noexcept;

  static std::array<depot, kinds + 1> depots;
  // In the part of a thread's memory that is found without a call, which has room for a few of
  // these.
  [[gnu::tls_model("initial-exec")]] static constinit thread_local std::array<shelf, kinds + 2>
      shelves;
  static constinit thread_local bool closed;
};

template <class Task, class... Args>
[[nodiscard]] boost::intrusive_ptr<Task> make_task(std::size_t more, Args&&... args) {
  return {task_memory::make<Task>(1, more, std::forward<Args>(args)...), false};
}

}  // namespace hocket::detail
