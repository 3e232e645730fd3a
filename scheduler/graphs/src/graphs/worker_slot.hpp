// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>

#include <hocket/execution/steal_deque.hpp>
#include <hocket/execution/wait_listener.hpp>

#include "graphs/index_range.hpp"

namespace hocket::detail {

class host_run;

/// The work that one thread which takes part in a run of a plan has in stock. Other threads may
/// take from the stock at any time, so that nothing waits for a function that takes long. When a
/// function waits, by whatever means, the run counts its thread as gone and sends another worker
/// for the stock; the slot belongs to the stack of the function, which may go on with another
/// thread.
class alignas(64) worker_slot final : public wait_listener {
 public:
  /// The calling thread takes part in the run from here on, until stand_up(). It may take part in
  /// another one already.
  void sit_down(host_run& run) noexcept {
    run_ = &run;
    begin_listening();
  }
  void stand_up() noexcept { end_listening(); }

  /// To be called after a function. Returns true if the function has waited: then the run counts
  /// its thread no more.
  [[nodiscard]] bool came_back() noexcept {
    if (!was_told()) return false;
    listen_again();
    return true;
  }

  [[nodiscard]] host_run& run() const noexcept { return *run_; }

  steal_deque<word_cell<std::uint32_t>> ready;  ///< functions that became ready
  index_range<> starts;                         ///< of those that follow none
  std::uint64_t ended = 0;      ///< functions, not yet added to the count of the run
  worker_slot* next = nullptr;  ///< another slot of the run
  std::uint32_t node = 0;       ///< of a plan with data: the function that the thread is in

 private:
  void begins_to_wait() noexcept override;

  host_run* run_ = nullptr;
};

}  // namespace hocket::detail
