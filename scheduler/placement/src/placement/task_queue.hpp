// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include "data/rank_queue.hpp"

namespace hocket::placement {

struct placed_task;

using place_in_queue = detail::ranked<placed_task*>;
using task_queue = detail::rank_queue<placed_task*>;

}  // namespace hocket::placement
