// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>

#include <hocket/execution/inbox.hpp>

namespace hocket::detail {

/// What may be done with a task that waits for predecessors, in one atomic word: how many of them
/// have not ended, whether one of them failed, how many threads look at the list of them, and
/// whether a thread has claimed the task. The claimer alone runs the task or ends it unrun.
///
/// The list of predecessors is dropped by the claimer, or, if others look at it at that moment, by
/// the last of them to leave.
template <class Atomics = real_atomics>
class basic_claim {
 public:
  enum class arrival : std::uint8_t { not_last, last_but_one, made_ready, found_claimed };
  enum class claimed : std::uint8_t {
    refused,
    alone,   ///< the list of predecessors is the claimer's
    shared,  ///< it is read by others too: read it, then leave()
  };

  explicit basic_claim(std::uint32_t predecessors) noexcept : word_(predecessors * one_waiting) {}

  /// Only by the maker of the task, before any other thread can run it. The list of predecessors is
  /// complete.
  void expect(std::uint32_t predecessors) noexcept {
    // Release: pairs with the acquire of enter(), by threads that list all tasks that have begun.
    word_.store(predecessors * one_waiting, std::memory_order_release);
  }

  /// As if a predecessor had failed. Likewise.
  void poison() noexcept { word_.fetch_or(poisoned_bit, std::memory_order_relaxed); }

  /// One predecessor has ended.
  [[nodiscard]] arrival arrive(bool failed) noexcept {
    // Relaxed: the same thread's next operation on the word publishes it.
    if (failed) word_.fetch_or(poisoned_bit, std::memory_order_relaxed);
    // Release: pairs with the acquire of the last arrival and of the claim, which see what came
    // before all arrivals.
    const std::uint64_t before = word_.fetch_sub(one_waiting, std::memory_order_acq_rel);
    if (before / one_waiting != 1) {
      return before / one_waiting == 2 ? arrival::last_but_one : arrival::not_last;
    }
    return (before & claimed_bit) == 0 ? arrival::made_ready : arrival::found_claimed;
  }

  /// Claims the task if it is ready; even_pending: also if it still waits. One caller succeeds.
  [[nodiscard]] claimed claim(bool even_pending) noexcept {
    bool waited = false;
    return claim(even_pending, waited);
  }
  /// waited: whether predecessors were left when it was claimed.
  [[nodiscard]] claimed claim(bool even_pending, bool& waited) noexcept {
    std::uint64_t seen = word_.load(std::memory_order_relaxed);
    for (;;) {
      if ((seen & claimed_bit) != 0) return claimed::refused;
      if (!even_pending && seen / one_waiting != 0) return claimed::refused;
      const bool alone = (seen & readers_mask) == 0;
      const std::uint64_t wanted = (seen | claimed_bit) + (alone ? 0 : one_reader);
      // Acquire: pairs with the releases of arrive() and leave().
      if (word_.compare_exchange_weak(seen, wanted, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
        waited = seen / one_waiting != 0;
        return alone ? claimed::alone : claimed::shared;
      }
    }
  }

  /// Claims the task, alone, if it is ready, nothing before it failed and no thread reads its list.
  [[nodiscard]] bool claim_untouched() noexcept {
    std::uint64_t expected = 0;
    // Acquire: pairs with the releases of arrive() and leave().
    return word_.compare_exchange_strong(expected, claimed_bit, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }

  /// The same for a thread that knows that no other knows the task any more, and has seen what
  /// those did.
  [[nodiscard]] bool claim_unshared() noexcept {
    // Relaxed, both: see above.
    if (word_.load(std::memory_order_relaxed) != 0) return false;
    word_.store(claimed_bit, std::memory_order_relaxed);
    return true;
  }

  /// Asks for leave to read the list of predecessors: given while the task waits for them.
  [[nodiscard]] bool enter() noexcept {
    std::uint64_t seen = word_.load(std::memory_order_relaxed);
    do {
      if ((seen & claimed_bit) != 0 || seen / one_waiting == 0) return false;
      if ((seen & readers_mask) == readers_mask) return false;
      // Acquire: pairs with the release of expect().
    } while (!word_.compare_exchange_weak(seen, seen + one_reader, std::memory_order_acquire,
                                          std::memory_order_relaxed));
    return true;
  }

  /// Returns true if the caller is the last reader of a claimed task, and drops the list.
  [[nodiscard]] bool leave() noexcept {
    // Release: what was read stays before the drop. Acquire: the drop comes after what others read.
    const std::uint64_t before = word_.fetch_sub(one_reader, std::memory_order_acq_rel);
    return (before & claimed_bit) != 0 && (before & readers_mask) == one_reader;
  }

  [[nodiscard]] bool waits() const noexcept { return now() / one_waiting != 0; }
  [[nodiscard]] bool is_claimed() const noexcept { return (now() & claimed_bit) != 0; }
  [[nodiscard]] bool poisoned() const noexcept { return (now() & poisoned_bit) != 0; }

 private:
  static constexpr std::uint64_t claimed_bit = 1;
  static constexpr std::uint64_t poisoned_bit = 2;
  static constexpr std::uint64_t one_reader = 4;
  static constexpr std::uint64_t one_waiting = std::uint64_t{1} << 32U;
  static constexpr std::uint64_t readers_mask = one_waiting - one_reader;

  [[nodiscard]] std::uint64_t now() const noexcept {
    // Nothing is read because of the answer but by the claimer, which claim() has ordered: relaxed.
    return word_.load(std::memory_order_relaxed);
  }

  typename Atomics::template atomic<std::uint64_t> word_;
};

using claim = basic_claim<>;

}  // namespace hocket::detail
