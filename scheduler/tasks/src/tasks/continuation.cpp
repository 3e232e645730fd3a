// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/continuation.hpp>

namespace hocket::detail {

void run_all(continuation* newest, task_state& source, ready_list& next) noexcept {
  continuation* node = follower_list::oldest_first(newest);
  while (node != nullptr) {
    continuation* const newer = node->link;
    node->run(source, next);
    node = newer;
  }
}

void each_follower(const follower_list& list, const std::function<void(task_state&)>& visit) {
  for (const continuation* node = list.newest(); node != nullptr; node = node->link) {
    if (task_state* const next = node->follower()) visit(*next);
  }
}

}  // namespace hocket::detail
