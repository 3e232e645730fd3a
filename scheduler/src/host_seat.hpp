// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>

#include "index_range.hpp"
#include "steal_deque.hpp"

namespace hocket::detail {

class host_run;

/// Where one thread sits that takes part in a run of a plan, with the work it has in stock. Others
/// may take from the stock at any time, so that nothing waits for a function that takes long.
class alignas(64) host_seat {
 public:
  /// The calling thread is about to wait, or to leave the stack it is on: others are to run what it
  /// has in stock.
  static void let_go() noexcept;

  /// A thread sits down; it may sit elsewhere already.
  void sit_down(host_run& run) noexcept;
  void stand_up() noexcept;

  /// To be called after a function. Returns true if it has let go of the seat, perhaps on another
  /// thread than this.
  [[nodiscard]] bool came_back() noexcept { return left_alone_ && sit_down_again(); }

  steal_deque<> ready;        ///< functions that became ready
  index_range<> starts;       ///< of those that follow none
  std::uint64_t ended = 0;    ///< functions, and nobody else has been told yet
  host_seat* next = nullptr;  ///< another seat of the run

 private:
  bool sit_down_again() noexcept;

  host_run* run_ = nullptr;
  host_seat* outer_ = nullptr;
  bool left_alone_ = false;
};

}  // namespace hocket::detail
