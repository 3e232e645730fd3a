// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/dropped_buffers.hpp"

#include <algorithm>
#include <utility>

namespace hocket::placement {

void dropped_buffers::drop(data_id data) {
  // Copies for a cut may be on their way.
  if (s_.losses.is_recovering() || s_.log.awaits_copies()) return waiting_.push_back(data);
  tracked_buffer& buffer = *s_.buffers.find(data);
  if (s_.log.tasks().uses(data)) {
    s_.guard.drops(buffer);
    s_.log.dropped(buffer);
    shells_.insert(data);
    return release_content(buffer);
  }
  s_.log.versions().forget(data);
  const std::vector<released_block> released = s_.content.remove(data);
  s_.evictions.forget(buffer);
  s_.buffers.erase(data);
  for (const released_block& freed : released) memory_.release(freed);
}

std::vector<tracked_buffer*> dropped_buffers::others() const {
  std::vector<tracked_buffer*> all;
  s_.buffers.each([&](data_id data, const tracked_buffer&) {
    if (!shells_.contains(data)) all.push_back(s_.buffers.find(data));
  });
  std::ranges::sort(all, {}, &tracked_buffer::id);
  return all;
}

void dropped_buffers::log_was_cut() {
  boost::container::flat_set<data_id> left;
  for (const data_id data : shells_) {
    if (s_.log.tasks().uses(data)) {
      left.insert(left.end(), data);
      continue;
    }
    s_.evictions.forget(*s_.buffers.find(data));
    (void)s_.content.remove(data);
    s_.buffers.erase(data);
  }
  shells_ = std::move(left);
}

void dropped_buffers::drop_waiting() {
  for (const data_id data : std::exchange(waiting_, {})) drop(data);
}

/// The buffer loses all content, and its blocks.
void dropped_buffers::release_content(tracked_buffer& buffer) {
  s_.log.versions().forget_block(buffer.id);
  const std::vector<released_block> released = s_.content.remove(buffer.id);
  s_.content.add(buffer.id, buffer.all.end, buffer.element_size);
  buffer.where = &s_.content.find(buffer.id);
  s_.evictions.touch(buffer);
  for (const released_block& freed : released) memory_.release(freed);
}

void dropped_buffers::release_refilled() {
  for (const data_id data : shells_) release_content(*s_.buffers.find(data));
}

}  // namespace hocket::placement
