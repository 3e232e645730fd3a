// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include <hocket/execution/executor.hpp>

namespace hocket::detail {

/// How many tasks of a runtime are pending, where that has a limit. Who is to submit takes a place
/// first, and gives it back when the task itself counts: so the limit holds exactly.
class pending_limit {
 public:
  explicit pending_limit(std::size_t most) noexcept
      : most_(most), few_(most - 1 - (most - 1) / 4) {}

  [[nodiscard]] std::size_t most() const noexcept { return most_; }

  /// Takes a place if there is one.
  [[nodiscard]] bool try_take() noexcept;

  /// Takes one in any case.
  void take() noexcept { pending_.fetch_add(1); }

  /// Waits until there may be a place.
  void wait(executor& where);

  /// A place is free.
  void give_back() noexcept {
    // Not for each place, or who waits would be woken for every task.
    if (pending_.fetch_sub(1) == few_ + 1) wake();
  }

 private:
  void wake() noexcept;

  const std::size_t most_;
  const std::size_t few_;  // less than most_: who waits is woken when no more are pending
  std::atomic<std::size_t> pending_{0};
  std::mutex guard_;
  std::vector<std::shared_ptr<executor::gate>> waiting_;
};

}  // namespace hocket::detail
