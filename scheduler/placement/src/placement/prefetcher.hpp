// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <map>

#include "placement/engine_state.hpp"

namespace hocket::placement {

/// Copies the content that queued tasks read to the memory of their device, before they are
/// committed. It uses free memory only: it never evicts.
class prefetcher {
 public:
  explicit prefetcher(engine_state& state) : s_(state) {}

  /// Of the first tasks in the queue of the device whose data are not there.
  void fetch_ahead(device_id device);
  /// Of a task that waits for bytes of its budget and names a device: the wait hides the copies.
  void fetch_early(placed_task& t);
  /// The data of the task, which are being fetched, do not come before a device is lost. Those of
  /// other tasks are fetched in its place.
  void set_aside(const placed_task& t);
  /// True if the data of one more task of the device may be fetched now.
  [[nodiscard]] static bool has_room(const device_record& d) { return d.fetching < window; }

 private:
  /// Tasks of one device whose data are on their way at the same time. Two hide a copy behind a
  /// kernel; the others absorb unequal lengths.
  static constexpr std::size_t window = 16;

  [[nodiscard]] bool fetch(placed_task& t);
  void fetched(task_id id, device_id device);
  [[nodiscard]] bool await_hung_device(const timepoint_set& arrives) const;

  engine_state& s_;
  std::map<task_id, device_id> set_aside_;  ///< tasks that these do not count
};

}  // namespace hocket::placement
