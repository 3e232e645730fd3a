// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/log_cutter.hpp"

#include <vector>

namespace hocket::placement {

bool log_cutter::look() {
  recovery_.forget_past();
  if (s_.log.is_cutting()) {
    if (s_.log.awaits_copies() || !s_.log.can_end_cut()) return false;
    end();
  } else if (s_.losses.is_recovering()) {
    return false;
  } else if (s_.losses.is_paused()) {
    if (!recovery_.is_quiet()) return false;
    // A view or a function that writes could last for ever.
    if (s_.log.have_all_ended()) {
      begin();
      return true;
    }
    try_later();
  } else if (s_.log.tasks().size() >= next_ || s_.log.versions().bytes_aside() >= next_bytes_) {
    has_failed_ ? hold_.pause() : begin();
    return true;
  } else {
    return false;
  }
  if (s_.losses.is_paused()) hold_.resume();
  dropped_.drop_waiting();
  return true;
}

void log_cutter::begin() {
  begun_ = s_.losses.begun();
  ++cuts_;
  s_.log.begin_cut();
  timepoint_set arrives;
  for (tracked_buffer* const each : dropped_.others()) copy(*each, arrives);
  s_.commands.when_done(arrives, [this, number = cuts_] {
    if (number == cuts_) s_.log.copies_ended();
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
    is_there ? s_.log.versions().has_at_cut(buffer, part)
             : s_.log.versions().comes_for_cut(buffer, part);
    arrives.add(ready);
  }
}

void log_cutter::end() {
  if (begun_ != s_.losses.begun()) s_.log.versions().invalidate_cut();
  has_failed_ = !s_.log.end_cut();
  if (has_failed_) return try_later();
  dropped_.log_was_cut();
  forget_poisoned();
  next_ = max_logged_;
  next_bytes_ = max_aside;
}

void log_cutter::forget_poisoned() {
  for (const tracked_buffer* const each : dropped_.others()) {
    std::vector<box> poisoned;
    s_.content.content_of(each->id).visit(each->all, [&](const box& part, const origin& from) {
      if (from.poison) poisoned.push_back(part);
    });
    for (const box& part : poisoned) s_.log.forgets_poisoned(each->id, part);
  }
}

/// One that came to nothing is not tried again at once.
void log_cutter::try_later() {
  next_ = s_.log.tasks().size() + max_logged_ / 4 + 1;
  next_bytes_ = s_.log.versions().bytes_aside() + max_aside / 4;
}

}  // namespace hocket::placement
