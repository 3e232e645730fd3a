// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/command_waiters.hpp"

namespace hocket::placement {

void command_waiters::wake_some(waiters_of_stream& waiters, std::uint64_t up_to) {
  const auto last = waiters.upper_bound(up_to);
  for (auto at = waiters.begin(); at != last; ++at) {
    if (--at->second->missing == 0) due_.push_back(std::move(at->second->next));
  }
  waiters.erase(waiters.begin(), last);
}

bool command_waiters::run_all_due() {
  const std::vector<std::function<void()>> due = std::exchange(due_, {});
  for (const auto& next : due) next();
  return true;
}

}  // namespace hocket::placement
