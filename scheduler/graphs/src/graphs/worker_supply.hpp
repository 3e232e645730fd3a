// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstddef>

#include <hocket/execution/executor.hpp>

#include "graphs/run_workers.hpp"

namespace hocket::detail {

class host_run;

/// Supplies a run with threads: counts those that take part, and sends for another worker where
/// functions are in stock and there are too few. This is the item by which workers are sent for:
/// it keeps the run as often as it is posted, and calls its work().
class worker_supply final : private executor::intrusive_item {
 public:
  worker_supply(host_run& run, executor& where, int priority);

  void send() noexcept;
  /// The same for a thread that takes no part: the run may have ended, and the runtime with it.
  void send_if_open() noexcept;
  /// The calling thread takes part and has put something in stock.
  void send_if_wanted() noexcept {
    if (count_.wants_more()) send();
  }
  /// The calling thread takes no part and has put something in stock. The run may have ended by
  /// then.
  void send_if_wanted_now() noexcept {
    if (count_.wants_more_now()) send_if_open();
  }

  /// The calling thread takes part: where a worker was sent for that has not come, and would be the
  /// next to come, it lets that one be.
  void take_back() noexcept;

  // See run_workers.
  [[nodiscard]] bool arrive() noexcept { return count_.arrive(); }
  [[nodiscard]] bool join() noexcept { return count_.join(); }
  template <class HasStock>
  [[nodiscard]] bool leave(const HasStock& has_stock) noexcept {
    return count_.leave(has_stock);
  }
  /// A function begins to wait: its thread counts no more, and leaves its stock to others.
  void begin_wait() noexcept;
  /// It has waited, and its thread goes on.
  void end_wait() noexcept { count_.come_back(); }

  /// True if the calling thread is a worker, not one that waits for the run from outside.
  [[nodiscard]] bool is_worker() const noexcept { return where_.inside(); }
  /// How often a thread without work looks for some before it leaves.
  [[nodiscard]] std::size_t looks_before_leaving() const noexcept { return looks_; }

 private:
  /// A worker that was sent for has come.
  void run() noexcept override;
  [[nodiscard]] std::size_t next_arena() noexcept;

  host_run& run_;
  executor& where_;  ///< lives as long as its items
  int priority_;
  run_workers<> count_;
  std::size_t looks_;
  std::atomic<std::size_t> arenas_used_{0};
};

}  // namespace hocket::detail
