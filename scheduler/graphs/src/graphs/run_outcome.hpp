// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>

#include <hocket/core/error.hpp>

namespace hocket::detail {

/// Whether a run is cancelled or has failed, and what follows for each of its functions. Whether
/// they are traced is in the same word: one load tells that a function is just called. Any thread.
class run_outcome {
 public:
  /// What becomes of a function that is about to be called.
  enum class verdict : std::uint8_t { is_called, is_poisoned, is_cancelled };

  explicit run_outcome(bool traces) noexcept
      : mode_(traces ? std::uint8_t{traced_bit} : std::uint8_t{0}) {}

  /// True if functions are just called: none has failed, and the run is neither cancelled nor
  /// traced.
  [[nodiscard]] bool is_plain() const noexcept {
    // Relaxed: what a predecessor has set is seen because of its arrival.
    return mode_.load(std::memory_order_relaxed) == 0;
  }
  [[nodiscard]] bool is_traced() const noexcept {
    // Relaxed: this never changes while the run is under way.
    return (mode_.load(std::memory_order_relaxed) & traced_bit) != 0;
  }
  /// True if a function has failed that the calling thread knows of.
  [[nodiscard]] bool has_failed() const noexcept {
    // Relaxed: as in is_plain().
    return (mode_.load(std::memory_order_relaxed) & failed_bit) != 0;
  }

  void cancel() noexcept { mode_.fetch_or(cancelled_bit); }
  /// Sequentially consistent, as cancel() is.
  [[nodiscard]] bool is_cancelled() const noexcept { return (mode_.load() & cancelled_bit) != 0; }
  /// True if a function was not called because the run is cancelled.
  [[nodiscard]] bool has_skipped() const noexcept { return has_skipped_; }

  /// To be asked once for each call.
  [[nodiscard]] verdict verdict_on(std::uint32_t node) noexcept;

  /// The function failed, of so many that the run has.
  void fail(std::uint32_t node, failure why, std::size_t functions) noexcept;

  /// False if no function is poisoned: none has failed, or there was no memory to note them.
  /// To be called after verdict_on() or fail().
  [[nodiscard]] bool can_poison() const noexcept { return poisoned_ != nullptr; }
  /// The function is not to be called, because one that it comes after failed. If can_poison().
  void poison(std::uint32_t node) noexcept {
    // Relaxed: pairs with verdict_on(); the arrival of the predecessor lies between.
    poisoned_[node].store(true, std::memory_order_relaxed);
  }

  /// The failure of the first function, in the order of the recording, that failed.
  [[nodiscard]] failure first_failure();

  /// No function is called any more: forgets which ones are poisoned.
  void release() noexcept { poisoned_.reset(); }

 private:
  enum mode : std::uint8_t { traced_bit = 1, cancelled_bit = 2, failed_bit = 4 };

  std::atomic<std::uint8_t> mode_;
  std::atomic<bool> has_skipped_{false};

  std::mutex guard_;  // for what follows
  std::uint32_t first_failed_ = std::numeric_limits<std::uint32_t>::max();
  failure first_failure_;
  std::unique_ptr<std::atomic<bool>[]> poisoned_;  ///< made by the first failure
};

}  // namespace hocket::detail
