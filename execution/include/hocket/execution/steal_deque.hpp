// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include <hocket/execution/inbox.hpp>

namespace hocket {

/// The cell of a steal_deque for a value that is one word.
template <class T, class Atomics = real_atomics>
class word_cell {
 public:
  using value_type = T;
  using atomics = Atomics;

  // Relaxed, both: the bottom of the deque publishes the value, and a thief that has read another
  // one finds that the top has moved.
  [[nodiscard]] T get() const noexcept { return word_.load(std::memory_order_relaxed); }
  void put(T value) noexcept { word_.store(value, std::memory_order_relaxed); }

 private:
  typename Atomics::template atomic<T> word_{};
};

/// Values that their owner pushes and takes at one end, the newest first, while others steal them
/// at the other, the oldest first (Chase and Lev, "Dynamic circular work-stealing deque"). A thread
/// that gets a value sees what was written before it was pushed. Cell says what a value is.
template <class Cell>
class steal_deque {
  using atomics = typename Cell::atomics;
  template <class T>
  using atomic = typename atomics::template atomic<T>;

 public:
  using value_type = typename Cell::value_type;

  /// Makes room for so many at a time. While no other thread knows of the deque.
  void reserve(std::size_t most) {
    const std::size_t wanted = std::bit_ceil(most);
    if (newest_ != nullptr && wanted <= newest_->cells.size()) return;
    adopt(std::make_unique<block>(wanted));
    newest_->older.reset();
  }

  /// Only for the owner, as push() and take() are. Returns false if there is no room for one more,
  /// and none can be made: because so many are there already, or for want of memory.
  [[nodiscard]] bool make_room(std::size_t most) noexcept {
    // Relaxed: only the owner writes the bottom.
    const std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
    if (bottom - known_top_ <= mask_) return true;
    // Acquire: pairs with the exchange in steal(): a thief has read its cell before the owner puts
    // another value there.
    known_top_ = top_.load(std::memory_order_acquire);
    if (bottom - known_top_ <= mask_) return true;
    return mask_ + 1 < static_cast<std::int64_t>(most) && grow(bottom);
  }

  /// There must be room. The order is that of what makes the value known.
  void push(value_type value, std::memory_order order = std::memory_order_release) noexcept {
    // Relaxed: only the owner writes the bottom. The cell's content is published by the bottom.
    const std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
    at(bottom).put(value);
    // At least release: pairs with the load in steal().
    bottom_.store(bottom + 1, order);
  }

  /// The newest value, if it is not stolen at this moment. Only for the owner.
  [[nodiscard]] bool look_at_newest(value_type& value) noexcept {
    // Relaxed: only the owner writes the bottom. An older top makes a value seem to be there that
    // was stolen: take() finds out.
    const std::int64_t newest = bottom_.load(std::memory_order_relaxed) - 1;
    if (newest < top_.load(std::memory_order_relaxed)) return false;
    value = at(newest).get();
    return true;
  }

  [[nodiscard]] bool take(value_type& value) noexcept {
    const std::int64_t bottom = bottom_.load(std::memory_order_relaxed) - 1;
    // The top only grows: where it has reached the bottom there is nothing. Relaxed: if it has
    // grown meanwhile, what follows finds out.
    if (bottom < top_.load(std::memory_order_relaxed)) return false;
    // Sequentially consistent, as the load of the top and those in steal(): either a thief sees
    // that the last one is being taken, or the owner sees that it was stolen.
    bottom_.store(bottom, std::memory_order_seq_cst);
    std::int64_t top = top_.load(std::memory_order_seq_cst);
    bool got = top <= bottom;
    if (got) value = at(bottom).get();
    if (top < bottom) return true;
    if (got) {
      // Relaxed where it fails: nothing was got.
      got = top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                         std::memory_order_relaxed);
    }
    // Release, as in push(): what lies below was published by stores that this one hides.
    bottom_.store(bottom + 1, std::memory_order_release);
    return got;
  }

  /// Any thread. Returns false if there is nothing, or if another thread was faster.
  [[nodiscard]] bool steal(value_type& value) noexcept {
    std::int64_t top = top_.load(std::memory_order_seq_cst);
    // Acquires what push() has released.
    if (top >= bottom_.load(std::memory_order_seq_cst)) return false;
    // Acquire: pairs with the release in adopt(), for the cells that were copied there. If the
    // owner has put another value into this cell since, the top has moved.
    const block& from = *shared_.load(std::memory_order_acquire);
    value = from.at(top).get();
    // Relaxed where it fails: nothing was got.
    return top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                        std::memory_order_relaxed);
  }

  /// True if there was something, a moment ago: a hint, if relaxed.
  [[nodiscard]] bool occupied(std::memory_order order = std::memory_order_relaxed) const noexcept {
    return top_.load(order) < bottom_.load(order);
  }

  /// Values get numbers as they are pushed: the oldest has this one, or a higher one. A number is
  /// used anew when its value was taken.
  [[nodiscard]] std::int64_t top() const noexcept {
    // Relaxed: a hint.
    return top_.load(std::memory_order_relaxed);
  }
  /// Only for the owner: the number that the next value gets.
  [[nodiscard]] std::int64_t bottom() const noexcept {
    // Relaxed: only the owner writes it.
    return bottom_.load(std::memory_order_relaxed);
  }

 private:
  struct block {
    explicit block(std::size_t size) : cells(size) {}
    [[nodiscard]] const Cell& at(std::int64_t index) const noexcept {
      return cells[static_cast<std::size_t>(index) & (cells.size() - 1)];
    }

    std::vector<Cell> cells;       // a power of two
    std::unique_ptr<block> older;  // thieves may still read it
  };
  static constexpr std::size_t least_room = 64;

  [[nodiscard]] Cell& at(std::int64_t index) noexcept {
    return cells_[static_cast<std::size_t>(index & mask_)];
  }

  [[nodiscard]] bool grow(std::int64_t bottom) noexcept {
    try {
      const std::size_t size = newest_ == nullptr ? least_room : 2 * newest_->cells.size();
      auto wider = std::make_unique<block>(size);
      for (std::int64_t i = known_top_; i < bottom; ++i) {
        wider->cells[static_cast<std::size_t>(i) & (size - 1)].put(newest_->at(i).get());
      }
      adopt(std::move(wider));
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  void adopt(std::unique_ptr<block> wider) noexcept {
    wider->older = std::move(newest_);
    newest_ = std::move(wider);
    cells_ = newest_->cells.data();
    mask_ = static_cast<std::int64_t>(newest_->cells.size()) - 1;
    // Release: pairs with the acquire in steal().
    shared_.store(newest_.get(), std::memory_order_release);
  }

  // Written by thieves.
  alignas(64) atomic<std::int64_t> top_{0};
  atomic<block*> shared_{nullptr};
  // Written by the owner.
  alignas(64) atomic<std::int64_t> bottom_{0};
  std::int64_t known_top_ = 0;  // not more than the top
  std::int64_t mask_ = -1;
  Cell* cells_ = nullptr;
  std::unique_ptr<block> newest_;
};

}  // namespace hocket
