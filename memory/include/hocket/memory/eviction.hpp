// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include <hocket/core/id_map.hpp>
#include <hocket/core/ids.hpp>

namespace hocket {

/// A replica that may be evicted.
struct eviction_candidate {
  /// Values of next_use that are no position: no task will use it again, and none is known to.
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint64_t unknown = never - 1;

  data_id data;
  std::uint64_t bytes = 0;
  std::uint64_t next_use = unknown;  ///< the age of the task that uses it next
  std::uint64_t last_use = 0;        ///< grows with time
  bool sole_copy = false;            ///< evicting it costs a write-back

  friend bool operator==(const eviction_candidate&, const eviction_candidate&) = default;
};

/// The replicas of one memory that may be evicted, in the order in which to evict them. First dead
/// data; then data with no known use, least recently used first; then data that is used farthest
/// from now, where a sole copy counts as used twice as soon, for it moves twice. All operations
/// cost the logarithm of their number. Not thread-safe; deterministic.
class eviction_order {
 public:
  /// The replica may be evicted; what was said of it before holds no more.
  void set(const eviction_candidate& candidate);
  /// The replica may not be evicted; nothing happens if that is known.
  void erase(data_id data);

  [[nodiscard]] std::size_t size() const noexcept { return known_.size(); }

  /// The replicas to evict so that at least bytes become free, in the order in which to evict them.
  /// Choices that are not needed beside later ones are left out. If all together do
  /// not suffice, all are returned. now: the age from which distances count.
  [[nodiscard]] std::vector<data_id> choose(std::uint64_t bytes, std::uint64_t now) const;

 private:
  /// Farthest use first; of equal ones, least recent use first; then by id.
  struct goes_before {
    bool operator()(const eviction_candidate& a, const eviction_candidate& b) const noexcept;
  };
  using queue = std::set<eviction_candidate, goes_before>;

  [[nodiscard]] queue& queue_of(const eviction_candidate& candidate) noexcept;

  // A write-back matters where the next use is known: so many tasks are between two moves.
  queue unused_;  ///< no use is known
  queue clean_;   ///< of the others, those that have a copy elsewhere
  queue sole_;    ///< and those that have none
  id_map<data_id, queue::const_iterator> known_;
};

}  // namespace hocket
