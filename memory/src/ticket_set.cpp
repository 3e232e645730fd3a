// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/memory/ticket_set.hpp>

namespace hocket {

void ticket_set::add(ticket t) {
  if (!t.valid()) return;
  const auto at = std::lower_bound(tickets_.begin(), tickets_.end(), t.stream,
                                   [](ticket a, stream_id stream) { return a.stream < stream; });
  if (at == tickets_.end() || at->stream != t.stream) {
    tickets_.insert(at, t);
  } else {
    at->value = std::max(at->value, t.value);
  }
}

void ticket_set::add(const ticket_set& others) {
  for (const ticket t : others) add(t);
}

}  // namespace hocket
