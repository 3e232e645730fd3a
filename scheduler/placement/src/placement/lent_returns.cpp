// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/lent_returns.hpp"

#include <algorithm>
#include <utility>

namespace hocket::placement {

void lent_returns::drop(data_id data) {
  if (!s_.buffers.find(data)->is_lent) return dropped_.drop(data);
  leaving_.push_back(data);
}

void lent_returns::return_all(return_asked& e) {
  tell_ = std::move(e.tell);
  is_asked_ = true;
}

bool lent_returns::look() {
  // Tasks that run again bring content about that was lost.
  if (s_.losses.is_recovering()) return false;
  bool goes_on = false;
  std::erase_if(leaving_, [&](data_id data) {
    tracked_buffer& buffer = *s_.buffers.find(data);
    const progress made = bring(buffer);
    goes_on = goes_on || made != progress::on_the_way;
    if (made != progress::there) return false;
    warn_of_lost(buffer);
    rounds_.erase(data);
    // Where losses are survived, it may stay without content and memory.
    buffer.is_lent = false;
    dropped_.drop(data);
    return true;
  });
  if (is_asked_ && leaving_.empty() && are_all_there(goes_on)) {
    is_asked_ = false;
    s_.work.actions().emplace_back(answer{std::move(tell_), {}});
    goes_on = true;
  }
  return goes_on;
}

bool lent_returns::are_all_there(bool& goes_on) {
  std::vector<tracked_buffer*> lent;
  s_.buffers.each([&](data_id data, const tracked_buffer& buffer) {
    if (buffer.is_lent) lent.push_back(s_.buffers.find(data));
  });
  std::ranges::sort(lent, {}, &tracked_buffer::id);
  bool all = true;
  for (tracked_buffer* const each : lent) {
    const progress made = bring(*each);
    goes_on = goes_on || made == progress::copied;
    all = all && made == progress::there;
  }
  if (all) {
    for (const tracked_buffer* const each : lent) warn_of_lost(*each);
  }
  return all;
}

lent_returns::progress lent_returns::bring(tracked_buffer& buffer) {
  constexpr unsigned most_rounds = 3;
  std::vector<box> missing;
  s_.content.for_missing(buffer.id, buffer.all, host_memory,
                         [&](const box& part, auto) { missing.push_back(part); });
  if (missing.empty()) {
    const bool is_there =
        s_.commands.all_done(s_.content.ready(buffer.id, buffer.all, host_memory));
    return is_there ? progress::there : progress::on_the_way;
  }
  // A copy that failed is made again a few times.
  if (++rounds_[buffer.id] > most_rounds) return progress::there;
  for (const box& part : missing) {
    (void)s_.transfers.bring(buffer.id, part, host_memory, task_id{});
  }
  s_.evictions.touch(buffer);
  return progress::copied;
}

/// Content that a task has failed to write is no loss.
void lent_returns::warn_of_lost(const tracked_buffer& buffer) {
  failure why;
  s_.content.content_of(buffer.id).visit(buffer.all, [&](const box&, const origin& from) {
    const failure_code code = from.poison ? from.poison.code() : failure_code::internal;
    if (code == failure_code::device_lost || code == failure_code::data_lost) why = from.poison;
  });
  s_.content.for_missing(buffer.id, buffer.all, host_memory, [&](const box&, auto) {
    why = {failure_code::data_lost, "Its device refuses to copy it to the host."};
  });
  if (!why) return;
  s_.work.actions().emplace_back(
      warn{"Buffer \"" + buffer.label +
           "\" is given back to the program without content that is lost: " + why.message()});
}

}  // namespace hocket::placement
