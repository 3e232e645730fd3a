// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "host_plan.hpp"
#include "host_seat.hpp"

namespace hocket::detail {

/// What changes while a plan is run. A later run can use it again.
struct run_state {
  run_state(const host_plan& plan, std::size_t workers);

  /// Before each run. The counters of functions are what they have to be already: each is set back
  /// when its function becomes ready.
  void make_ready(const host_plan& plan);

  /// A free seat, or null if so many threads take part already.
  [[nodiscard]] host_seat* take_seat() noexcept;
  void free_seat(host_seat& seat) noexcept;

  std::vector<std::atomic<std::uint32_t>> waits_for;  ///< of each function: how many others
  std::vector<host_seat> seats;
  alignas(64) std::atomic<std::uint64_t> ended{0};       ///< functions, as far as told
  alignas(64) std::atomic<std::uint64_t> free_seats{0};  ///< a bit for each
  std::atomic<std::size_t> seats_used{0};                ///< those before have ever been taken
};

}  // namespace hocket::detail
