// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <compare>
#include <cstdint>

#include "data/rank_queue.hpp"

namespace hocket::placement {

struct placed_task;

/// The order of tasks that compete for a device; lower first.
struct task_rank {
  std::int64_t priority = 0;  ///< see detail::rank_of
  float upward = 0;           ///< minus the upward rank, where the policy uses that
  friend auto operator<=>(const task_rank&, const task_rank&) = default;
};

using place_in_queue = detail::ranked<placed_task*, task_rank>;
using task_queue = detail::rank_queue<placed_task*, task_rank>;

}  // namespace hocket::placement
