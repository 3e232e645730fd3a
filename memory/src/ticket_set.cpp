// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/memory/ticket_set.hpp>

namespace hocket {

void ticket_set::add_before_last(ticket t) {
  const auto at = std::lower_bound(tickets_.begin(), tickets_.end(), t.stream,
                                   [](ticket a, stream_id stream) { return a.stream < stream; });
  if (at->stream == t.stream) {
    at->value = std::max(at->value, t.value);
  } else {
    tickets_.insert(static_cast<std::size_t>(at - tickets_.begin()), t);
  }
}

}  // namespace hocket
