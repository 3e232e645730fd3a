// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>

#include <oneapi/tbb/spin_mutex.h>

#include <hocket/core/shape.hpp>
#include <hocket/kernels/argument.hpp>
#include <hocket/memory/content_state.hpp>
#include <hocket/scheduler/detail/lent_memory.hpp>

#include "data/in_place_node.hpp"

namespace hocket::detail {

class host_storage;

/// What a runtime without other memory than the host's knows of one buffer: which nodes use it, in
/// which order, what became of its content, and where it is.
class in_place_history {
 public:
  /// Nothing is written as yet, and the argument has no base.
  /// lent: memory of the program that it has from the beginning; null: none.
  in_place_history(std::shared_ptr<host_storage> home, const box& whole, std::uint64_t bytes,
                   buffer_argument&& argument, lent_memory_ptr lent);
  in_place_history(const in_place_history&) = delete;
  in_place_history& operator=(const in_place_history&) = delete;
  ~in_place_history();

  /// Guards the accesses, for a few instructions that are seldom in anybody's way. Who waits for
  /// one while he has others takes them in the order of their addresses.
  [[nodiscard]] tbb::spin_mutex& guard() noexcept { return guard_; }
  [[nodiscard]] node_accesses& history() noexcept { return history_; }

  // With the guard locked.
  /// True while a run of a graph enters the histories of very many buffers, this among them: other
  /// threads unlock all that they have locked, and wait.
  [[nodiscard]] bool is_reserved() const noexcept { return is_reserved_; }
  void set_reserved(bool reserved) noexcept { is_reserved_ = reserved; }

  /// Without any lock. At the next moment it may be reserved again.
  void wait_while_reserved() { const std::scoped_lock wait(large_registration()); }
  [[nodiscard]] std::mutex& large_registration() const noexcept;

  // The content, in the order in which nodes leave their places. None of the buffer is locked.
  /// False if some part is not written, or poisoned.
  [[nodiscard]] bool is_sound() const noexcept {
    // Relaxed: what a node reads or writes is ordered by its edges; others may change the rest.
    return is_sound_.load(std::memory_order_relaxed);
  }
  /// A node used the buffer so, and has ended well. Without memory to note it, what it wrote stays
  /// unwritten.
  void commit(const in_place_use& use) noexcept {
    if (writes_content(use.mode) && !is_sound()) [[unlikely]]
      commit_written(use);
  }
  /// A node was to write the region and did not. Without memory to note it, all is poisoned.
  void poison(const box& region, const failure& why) noexcept;
  /// Why the task of that label must not read what it uses so; empty if it may.
  [[nodiscard]] failure unusable_input(const in_place_use& use, std::string_view reader);

  [[nodiscard]] bool belongs_to(const host_storage& home) const noexcept {
    return home_.get() == &home;
  }

  /// Null if it has no memory as yet.
  [[nodiscard]] std::byte* address() const noexcept {
    // Pairs with the release in obtain().
    return address_.load(std::memory_order_acquire);
  }

  /// Takes memory for the task of that label if there is none, and may have to wait for it. Throws
  /// error if none is to be had.
  void obtain(std::string_view label);

  /// All of the buffer as a body sees it. Only once it has memory, or if it is empty.
  [[nodiscard]] const buffer_argument& argument() const noexcept { return argument_; }

 private:
  friend class host_storage;

  [[gnu::noinline]] void commit_written(const in_place_use& use) noexcept;

  // Read by those who run.
  std::shared_ptr<host_storage> home_;
  std::uint64_t bytes_;
  std::atomic<std::byte*> address_{nullptr};
  std::atomic<bool> is_sound_{false};
  bool is_lent_ = false;  ///< the memory is the program's
  const box& extent_;     ///< of the buffer, which has this
  buffer_argument argument_;
  content_state content_;
  // Written by those who submit: on a cache line of their own, or each submission would take the
  // others from the threads that run.
  alignas(64) tbb::spin_mutex guard_;
  bool is_reserved_ = false;
  node_accesses history_;
};

/// Why the task of that label must not read what it uses; empty if it may. Only once everything
/// before it is over.
[[nodiscard]] failure unusable_input(std::span<const in_place_use> uses, std::string_view reader);

}  // namespace hocket::detail
