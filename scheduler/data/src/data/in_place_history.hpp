// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include <oneapi/tbb/spin_mutex.h>

#include <hocket/core/shape.hpp>
#include <hocket/kernels/argument.hpp>

#include "data/in_place_node.hpp"

namespace hocket::detail {

class host_storage;

/// The order of the tasks that use all of a buffer, since it was last written so.
struct whole_uses {
  in_place_node_ptr writer;  ///< null: what is there needs no waiting for
  bool is_written = false;
  std::vector<in_place_node_ptr> readers;  ///< since it was written
  std::size_t tidy_at = 16;

  void forget_readers() noexcept {
    std::erase_if(readers, [](const in_place_node_ptr& each) { return each->has_left(); });
  }
  /// Doubling keeps the cost of tidying constant for each access.
  [[gnu::noinline]] void tidy() noexcept {
    forget_readers();
    tidy_at = std::max<std::size_t>(16, 2 * readers.size());
  }
};

/// What a runtime without other memory than the host's knows of one buffer: which nodes use it, in
/// which order, and where it is.
class in_place_history {
 public:
  using chain = basic_access_history<in_place_node_ptr>;

  /// Nothing is written as yet, and the argument has no base.
  in_place_history(std::shared_ptr<host_storage> home, const box& whole, std::uint64_t bytes,
                   buffer_argument&& argument);
  in_place_history(const in_place_history&) = delete;
  in_place_history& operator=(const in_place_history&) = delete;
  ~in_place_history();

  /// Guards what follows, for a few instructions that are seldom in anybody's way. Who waits for
  /// one while he has others takes them in the order of their addresses.
  [[nodiscard]] tbb::spin_mutex& guard() noexcept { return guard_; }

  /// The order as long as only all of the buffer was used at once, or since it was last written
  /// so; null if there are parts.
  [[nodiscard]] whole_uses* whole() noexcept { return parts_ == nullptr ? &whole_ : nullptr; }
  /// The order by parts.
  [[nodiscard]] chain& nodes();
  /// All of the buffer was written by this one: what was before matters no more.
  void begin_anew(in_place_node_ptr writer) noexcept;

  [[nodiscard]] bool belongs_to(const host_storage& home) const noexcept {
    return home_.get() == &home;
  }

  /// Null if it has no memory as yet.
  [[nodiscard]] std::byte* address() const noexcept {
    // Pairs with the release in obtain().
    return address_.load(std::memory_order_acquire);
  }

  /// Takes memory if there is none, for which it may have to wait. Throws error if none is to be
  /// had.
  void obtain(const task_state& on_behalf_of);

  /// All of the buffer as a body sees it. Only once it has memory, or if it is empty.
  [[nodiscard]] const buffer_argument& argument() const noexcept { return argument_; }

 private:
  friend class host_storage;

  std::shared_ptr<host_storage> home_;
  std::uint64_t bytes_;
  std::atomic<std::byte*> address_{nullptr};
  tbb::spin_mutex guard_;
  whole_uses whole_;
  const box& extent_;  ///< of the buffer, which has this
  std::unique_ptr<chain> parts_;
  buffer_argument argument_;
};

}  // namespace hocket::detail
