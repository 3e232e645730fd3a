// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/earliest_end.hpp"

namespace hocket::placement {

std::optional<device_id> earliest_end::choose(const placed_task& t,
                                              const device_view& devices) const {
  std::optional<device_id> best;
  std::optional<nanoseconds> best_end;  // not computed if only one device can run the task
  for (std::size_t i = 0; i < devices.count(); ++i) {
    const device_id device{i};
    if (!devices.can_run(t, device)) continue;
    if (!best) {
      best = device;
      continue;
    }
    if (!best_end) best_end = devices.predicted_end(t, *best);
    const nanoseconds end = devices.predicted_end(t, device);
    if (end < *best_end) {
      best = device;
      best_end = end;
    }
  }
  return best;
}

bool earliest_end::should_steal(const placed_task& t, device_id idle,
                                const device_view& devices) const {
  return devices.predicted_end(t, idle) < devices.predicted_end(t, t.run.device);
}

}  // namespace hocket::placement
