// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "tasks/deadline.hpp"

#include <algorithm>

namespace hocket::detail {

void check_timeout(const std::string& name, nanoseconds timeout) {
  if (timeout >= nanoseconds::zero()) return;
  throw usage_error(name + " has a timeout of " + std::to_string(timeout.count()) +
                    " ns; the least is 0.");
}

time_stamp first_deadline(nanoseconds timeout, time_stamp deadline,
                          const executor& clock) noexcept {
  if (timeout == nanoseconds::max()) return deadline;
  const time_stamp now = clock.now();
  if (timeout >= time_stamp::max() - now) return deadline;
  return std::min(deadline, now + timeout);
}

failure not_begun_in_time(const std::string& name) {
  return {failure_code::timed_out, name + " did not begin within its time."};
}

}  // namespace hocket::detail
