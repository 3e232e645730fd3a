// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>

#include "graphs/function_caller.hpp"
#include "graphs/worker_slot.hpp"
#include "graphs/worker_supply.hpp"

namespace hocket::detail {

/// How many functions a worker runs before it lets other items have their turn.
inline constexpr std::size_t functions_of_one_turn = 4096;

/// What one thread has done while it took part in a run.
struct run_share {
  std::size_t functions = 0;
  bool last = false;  ///< it has told of the last function that ended
};

/// Runs functions in the calling thread, which has the slot: goes from one to another that it made
/// ready, then to one in the stock of the slot, then of other slots. Returns when it finds none for
/// some time, or when about `most` have run.
[[nodiscard]] run_share run_functions(const run_parts& run, worker_supply& workers,
                                      worker_slot& slot, std::size_t most) noexcept;

}  // namespace hocket::detail
