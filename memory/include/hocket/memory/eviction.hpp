// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <hocket/core/ids.hpp>

namespace hocket {

/// A replica that may be evicted.
struct eviction_candidate {
  /// Values of next_use that are no distance: no task will use it again, and none is known to.
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint64_t unknown = never - 1;

  data_id data;
  std::uint64_t bytes = 0;
  std::uint64_t next_use = unknown;  ///< how many tasks from now, as far as the plan is known
  std::uint64_t last_use = 0;        ///< grows with time
  bool sole_copy = false;            ///< evicting it costs a write-back
};

/// The replicas to evict so that at least bytes become free, in the order in which to evict them.
/// First dead data; then data with no known use, least recently used first; then data that is used
/// farthest from now, where a sole copy counts as used twice as soon, for it moves twice. Replicas
/// that turn out not to be needed beside the later choices are left out. If all together do not
/// suffice, all are returned.
[[nodiscard]] std::vector<data_id> choose_victims(std::span<const eviction_candidate> candidates,
                                                  std::uint64_t bytes);

}  // namespace hocket
