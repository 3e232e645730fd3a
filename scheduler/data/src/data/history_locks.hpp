// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "data/in_place_history.hpp"

namespace hocket::detail {

/// The lock of the history of one buffer, as long as no run reserves it.
class order_lock {
 public:
  explicit order_lock(std::span<const in_place_use, 1> use) : held_(*use.front().data->order()) {
    held_.guard().lock();
    while (held_.is_reserved()) [[unlikely]] {
        held_.guard().unlock();
        held_.wait_while_reserved();
        held_.guard().lock();
      }
  }
  order_lock(const order_lock&) = delete;
  order_lock& operator=(const order_lock&) = delete;
  ~order_lock() { held_.guard().unlock(); }

 private:
  in_place_history& held_;
};

/// The locks of the histories of several buffers in the order of their addresses, so that threads
/// that submit at the same time cannot wait for one another in a circle. A thread that finds one
/// reserved unlocks all of them while it waits.
class ordered_locks {
 public:
  /// Each once, by address. The caller owns the list, which outlives this.
  explicit ordered_locks(std::span<in_place_history* const> ordered);
  ordered_locks(const ordered_locks&) = delete;
  ordered_locks& operator=(const ordered_locks&) = delete;
  ~ordered_locks();

 private:
  std::span<in_place_history* const> held_;
};

/// The locks of all buffers of a node. Only where one of them is taken or reserved are they put in
/// order.
class order_locks {
 public:
  explicit order_locks(std::span<const in_place_use> uses) : uses_(uses) {
    for (const in_place_use& use : uses) {
      in_place_history& order = *use.data->order();
      if (order.guard().try_lock()) [[likely]] {
        if (!order.is_reserved()) [[likely]]
          continue;
        order.guard().unlock();
      }
      unlock({uses.data(), &use});
      lock_in_order();
      return;
    }
  }
  order_locks(const order_locks&) = delete;
  order_locks& operator=(const order_locks&) = delete;
  ~order_locks() {
    if (in_order_ == nullptr) [[likely]]
      unlock(uses_);
  }

 private:
  struct ordered_set;
  struct drop_set {
    void operator()(ordered_set* all) const noexcept;
  };

  static void unlock(std::span<const in_place_use> uses) noexcept {
    for (const in_place_use& use : uses) use.data->order()->guard().unlock();
  }
  void lock_in_order();

  std::span<const in_place_use> uses_;
  std::unique_ptr<ordered_set, drop_set> in_order_;
};

/// While this lives, no task but those of one run takes a place in the histories of these buffers:
/// so all of them come at one moment in the order of tasks. For a few uses the buffers are locked.
/// For very many they are reserved: threads that come to one of them wait asleep, and the run locks
/// each when it uses it.
class run_registration {
 public:
  /// Each once, by address. The caller owns the list, which outlives this. uses: how many the run
  /// enters in all.
  run_registration(std::span<in_place_history* const> ordered, std::size_t uses);
  run_registration(const run_registration&) = delete;
  run_registration& operator=(const run_registration&) = delete;
  ~run_registration();

  [[nodiscard]] lock_each locks() const noexcept { return few_ ? lock_each::no : lock_each::yes; }

 private:
  void mark_all(bool reserved) noexcept;

  std::span<in_place_history* const> ordered_;
  std::optional<ordered_locks> few_;
  std::unique_lock<std::mutex> many_;
};

}  // namespace hocket::detail
