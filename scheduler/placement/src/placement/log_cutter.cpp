// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/log_cutter.hpp"

#include <vector>

namespace hocket::placement {

void log_cutter::begin() {
  if (s_.losses.is_recovering()) return;
  has_copies_ = false;
  lost_ = s_.lost;
  ++cuts_;
  s_.log.begin_cut();
  timepoint_set arrives;
  for (tracked_buffer* const each : recovery_.buffers()) copy(*each, arrives);
  s_.commands.when_done(arrives, [this, number = cuts_] {
    if (number == cuts_) has_copies_ = true;
  });
}

void log_cutter::copy(tracked_buffer& buffer, timepoint_set& arrives) {
  std::vector<box> missing;
  s_.content.for_missing(buffer.id, buffer.all, host_memory,
                         [&](const box& part, auto) { missing.push_back(part); });
  if (!missing.empty()) {
    s_.replicas.take_block(buffer.id, host_memory);
    s_.evictions.touch(buffer);
  }
  for (const box& part : missing) {
    (void)s_.transfers.bring(buffer.id, part, host_memory, task_id{});
  }
  std::vector<box> sound;
  s_.content.content_of(buffer.id).visit(buffer.all, [&](const box& part, const origin& from) {
    if (from.sound()) sound.push_back(part);
  });
  for (const box& part : sound) {
    const timepoint_set ready = s_.content.ready(buffer.id, part, host_memory);
    const bool is_there = s_.commands.all_done(ready);
    is_there ? s_.log.has_at_cut(buffer, part) : s_.log.comes_for_cut(buffer, part);
    arrives.add(ready);
  }
}

void log_cutter::end() {
  const bool is_whole = lost_ == s_.lost && !s_.losses.is_recovering();
  if (!is_whole) s_.log.spoil_cut();
  const bool is_cut = s_.log.end_cut();
  if (is_cut) recovery_.log_was_cut();
  // One that came to nothing is not tried again at once.
  next_ = is_cut ? most_ : s_.log.size() + most_ / 4;
  next_bytes_ = is_cut ? most_aside : s_.log.bytes_aside() + most_aside / 4;
}

}  // namespace hocket::placement
