// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace hocket::detail {

/// What is added to a block when others know it already, and is destroyed with it.
class added_part {
 public:
  added_part(const added_part&) = delete;
  added_part& operator=(const added_part&) = delete;
  virtual ~added_part() = default;

 protected:
  added_part() = default;
};

/// An object that lies in a block of task_memory and counts the references to it.
class task_block {
 public:
  task_block(const task_block&) = delete;
  task_block& operator=(const task_block&) = delete;

  /// How much memory the runtime keeps for the task until it has ended: the task itself, its
  /// function with what that holds by value, and lists of what it follows and accesses. Roughly,
  /// but always the same.
  [[nodiscard]] virtual std::size_t held_bytes() const noexcept;

  /// Null if nothing was added. Any thread that has a reference.
  [[nodiscard]] added_part* added() const noexcept {
    // Acquire: pairs with the release in add().
    return added_.load(std::memory_order_acquire);
  }
  /// Returns false, and destroys the part, if there is one already.
  [[nodiscard]] bool add(std::unique_ptr<added_part> part) noexcept;

 protected:
  task_block() = default;
  virtual ~task_block() {
    if (has_added()) drop_added();
  }

  /// True if the caller's reference is the only one: then no other thread learns what becomes of
  /// this.
  [[nodiscard]] bool is_unshared() const noexcept {
    // Acquire: pairs with the releases of the references that are gone.
    return references_.load(std::memory_order_acquire) == 1;
  }
  /// The caller's reference is the only one, and there are to be so many, which it has to care for.
  void set_references(std::uint32_t count) noexcept {
    // What makes this known to others publishes it: relaxed.
    references_.store(count, std::memory_order_relaxed);
  }

  /// Nothing is left in this that has to be destroyed, but what others may have added since.
  void leave_nothing() noexcept { leaves_nothing_ = true; }
  [[nodiscard]] bool leaves_nothing() const noexcept { return leaves_nothing_; }

  /// Instead of giving back the only reference.
  void destroy() noexcept;
  /// What destroy() does where something is left: with the destructor.
  virtual void destroy_all() noexcept;

 private:
  friend class task_memory;
  friend void intrusive_ptr_add_ref(task_block* of) noexcept {
    // A new reference comes from an old one, which keeps the object alive: nothing to order.
    of->references_.fetch_add(1, std::memory_order_relaxed);
  }
  friend void intrusive_ptr_release(task_block* of) noexcept {
    // Release and acquire pair with one another: the deletion comes after all uses.
    if (of->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) of->destroy();
  }

  /// Only when no other thread has this any more.
  [[nodiscard]] bool has_added() const noexcept {
    // Relaxed: see above.
    return added_.load(std::memory_order_relaxed) != nullptr;
  }
  void drop_added() noexcept;

  std::atomic<added_part*> added_{nullptr};
  std::atomic<std::uint32_t> references_{0};
  std::uint8_t block_ = 0;  ///< what of task_memory's it lies in; 0: it was made by new
  bool leaves_nothing_ = false;
};

}  // namespace hocket::detail
