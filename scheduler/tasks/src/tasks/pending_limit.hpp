// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <hocket/execution/executor.hpp>

namespace hocket::detail {

/// How many tasks of a runtime are pending, and how many bytes they hold, where that has a limit.
/// A thread that is to submit takes a place first, and gives it back when the task itself counts:
/// so the limit of tasks holds exactly. That of bytes is passed by the tasks that were let in last.
class pending_limit {
 public:
  /// 0, or more than can be counted: there is no such limit.
  pending_limit(std::size_t most, std::size_t max_bytes) noexcept
      : tasks_(most), bytes_(max_bytes) {}

  /// Which limit is reached, for a sentence.
  [[nodiscard]] std::string reached() const;

  /// Takes a place if there is one.
  [[nodiscard]] bool try_take() noexcept;

  /// Takes one in any case, for a task that holds so much.
  void take(std::size_t bytes) noexcept {
    tasks_.held.fetch_add(1);
    bytes_.held.fetch_add(static_cast<std::int64_t>(bytes));
  }

  /// Waits until there may be a place.
  void wait(executor& where);

  /// A place is free, and as many bytes as its task held.
  void give_back(std::size_t bytes) noexcept {
    // Not for each place, or the waiting threads would be woken for every task.
    const bool few = bytes_.give_back(static_cast<std::int64_t>(bytes));
    if (tasks_.give_back(1) || few) wake();
  }

 private:
  struct limit {
    static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

    explicit limit(std::size_t wanted) noexcept
        : most(wanted == 0 || wanted > std::size_t{none} ? none
                                                         : static_cast<std::int64_t>(wanted)),
          few(most - 1 - (most - 1) / 4) {}

    [[nodiscard]] bool is_set() const noexcept { return most != none; }
    [[nodiscard]] bool is_reached() const noexcept { return held >= most; }

    /// True if few are held now that were not before.
    [[nodiscard]] bool give_back(std::int64_t count) noexcept {
      const std::int64_t before = held.fetch_sub(count);
      return before > few && before - count <= few;
    }

    const std::int64_t most;
    const std::int64_t few;  ///< less than most: waiting threads are woken when no more are held
    std::atomic<std::int64_t> held{0};
  };

  void wake() noexcept;

  limit tasks_;
  limit bytes_;
  std::mutex guard_;
  std::vector<std::shared_ptr<executor::gate>> waiting_;
};

}  // namespace hocket::detail
