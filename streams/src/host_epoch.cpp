// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/streams/host_epoch.hpp>

namespace hocket {

void host_epoch::end(const failure& why) {
  if (claimed_.exchange(true)) return;
  why_ = why;
  if (state_.fetch_or(ended_bit) == 0) sink_.device_lost(device_, why_);
}

bool host_epoch::enter() {
  std::uint64_t seen = state_.load();
  do {
    if ((seen & ended_bit) != 0) return false;
  } while (!state_.compare_exchange_weak(seen, seen + 1));
  return true;
}

void host_epoch::leave(std::uint64_t times) {
  if (state_.fetch_sub(times) == (ended_bit | times)) sink_.device_lost(device_, why_);
}

bool host_epoch::report_in_a_row(stream_id stream, std::uint64_t first,
                                 std::span<const command_result> how) {
  if (!enter()) return false;
  if (how.size() == 1) {
    sink_.completed(stream, first, how.front());
  } else {
    sink_.completed_in_a_row(stream, first, how);
  }
  leave();
  return true;
}

bool host_epoch::report_left(stream_id stream, std::uint64_t value, time_stamp when) {
  if (!enter()) return false;
  sink_.left(stream, value, when);
  leave();
  return true;
}

bool host_epoch::report_ended_apart(stream_id stream, std::uint64_t value,
                                    const command_result& how) {
  if (!enter()) return false;
  sink_.ended_apart(stream, value, how);
  leave();
  return true;
}

}  // namespace hocket
