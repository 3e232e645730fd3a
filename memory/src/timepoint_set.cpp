// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/memory/timepoint_set.hpp>

namespace hocket {

void timepoint_set::add_before_last(point t) {
  const auto at = std::lower_bound(points_.begin(), points_.end(), t.stream,
                                   [](point a, stream_id stream) { return a.stream < stream; });
  if (at->stream == t.stream) {
    at->value = std::max(at->value, t.value);
  } else {
    points_.insert(static_cast<std::size_t>(at - points_.begin()), t);
  }
}

}  // namespace hocket
