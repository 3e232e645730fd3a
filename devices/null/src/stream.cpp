// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "stream.hpp"

#include <algorithm>
#include <vector>

#include <hocket/streams/perform.hpp>

namespace hocket::null {

failure queue_stream::enqueue(const command& what, std::span<const device_wait> waits) {
  std::vector<std::shared_ptr<const host_epoch>> before;
  // All streams of the domain are of this class.
  for (const device_wait& w : waits) before.push_back(static_cast<queue_stream*>(w.on)->epoch_);
  driver_.thread.post([this, before, what = command(what)]() mutable {
    command_result how;
    how.begin = where().now();
    if (std::ranges::any_of(before, [](const auto& epoch) { return epoch->ended(); })) {
      how.why = {failure_code::device_lost, "The device of a command before it was lost."};
    } else {
      how.why = perform_on_host(where(), 0, what);
    }
    how.end = where().now();
    what.what = failed_command();  // a command that has ended keeps nothing alive
    ended(what.value, std::move(how));
  });
  return {};
}

}  // namespace hocket::null
