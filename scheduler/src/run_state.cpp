// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "run_state.hpp"

#include <algorithm>
#include <bit>

namespace hocket::detail {

namespace {

/// Threads that were suspended within a function keep their seats, so there are more than workers.
std::size_t seats_for(std::size_t workers) {
  return std::clamp<std::size_t>(2 * workers + 6, 8, 64);
}

std::uint64_t ones(std::size_t count) {
  return count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

}  // namespace

run_state::run_state(const host_plan& plan, std::size_t workers)
    : waits_for(plan.size()), seats(seats_for(workers)) {
  for (std::uint32_t i = 0; i < plan.size(); ++i) {
    // Nobody else knows of this: relaxed.
    waits_for[i].store(plan.before(i), std::memory_order_relaxed);
  }
}

void run_state::make_ready(const host_plan& plan) {
  ended = 0;
  free_seats = ones(seats.size());
  seats.front().starts.assign({0, static_cast<std::uint32_t>(plan.starts().size())});
  seats.front().ready.reserve(plan.size());
  seats_used = 1;
}

host_seat* run_state::take_seat() noexcept {
  std::uint64_t seen = free_seats.load(std::memory_order_relaxed);
  do {
    if (seen == 0) return nullptr;
    // Acquire: pairs with free_seat(), for what the thread before has left there.
  } while (!free_seats.compare_exchange_weak(seen, seen & (seen - 1), std::memory_order_acquire,
                                             std::memory_order_relaxed));
  const auto index = static_cast<std::size_t>(std::countr_zero(seen));
  // Seats are taken from the first on; others look at those that were ever used.
  std::size_t used = seats_used.load();
  while (used <= index && !seats_used.compare_exchange_weak(used, index + 1)) {
  }
  return &seats[index];
}

void run_state::free_seat(host_seat& seat) noexcept {
  const auto index = static_cast<std::size_t>(&seat - seats.data());
  // Release: pairs with take_seat().
  free_seats.fetch_or(std::uint64_t{1} << index, std::memory_order_release);
}

}  // namespace hocket::detail
