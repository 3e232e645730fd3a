// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "placement/kept_costs.hpp"
#include "placement/machine.hpp"
#include "placement/recent_median.hpp"

namespace hocket::placement {

/// Predicts how long a copy takes: what the rates of its link say, times the median of how wrong
/// they were for copies of about the same size.
class copy_costs {
 public:
  /// kept: as for cost_model.
  copy_costs(const machine& machine, kept_costs* kept)
      : machine_(machine), kept_(kept), predictions_(machine.streams.size()) {}

  /// Without anything in the way of the copy. There must be a link.
  [[nodiscard]] nanoseconds predict(memory_id from, memory_id to, std::uint64_t bytes) const {
    const stream_id stream = machine_.link_between(from, to)->stream;
    auto& last = predictions_[stream.value].place_of(from, to, bytes);
    const bool is_same = last.bytes == bytes && last.from == from && last.to == to;
    return is_same ? last.time : predict_anew(last, from, to, bytes);
  }
  void measured(memory_id from, memory_id to, std::uint64_t bytes, nanoseconds took);
  /// Counts changes of predictions by more than an eighth.
  [[nodiscard]] std::uint64_t changes() const noexcept { return changes_; }
  /// The mean time of the last copies.
  [[nodiscard]] nanoseconds usual() const noexcept { return usual_; }
  /// Adds those that were measured here often enough to be told to other processes.
  void add_learned(std::vector<kept_copy>& to) const;

 private:
  struct copy_key {
    memory_id from;
    memory_id to;
    int size;  ///< floor of log2 of the bytes
    friend auto operator<=>(const copy_key&, const copy_key&) = default;
  };

  /// How wrong the rates of a link were.
  struct link_costs {
    recent_median factor;   ///< measured time / by rates
    bool was_kept = false;  ///< the first factor is that of another process
  };
  /// The last predictions for copies by one stream, until one of its copies is measured.
  struct link_predictions {
    struct prediction {
      memory_id from, to;  ///< not valid: none
      std::uint64_t bytes = 0;
      nanoseconds time{0};
    };
    static constexpr std::size_t most = 8;

    [[nodiscard]] prediction& place_of(memory_id from, memory_id to, std::uint64_t bytes) {
      return of[(from.value + to.value + (bytes ^ bytes >> 7U ^ bytes >> 14U)) % most];
    }

    std::array<prediction, most> of{};
  };

  nanoseconds predict_anew(link_predictions::prediction& to_keep, memory_id from, memory_id to,
                           std::uint64_t bytes) const;
  [[nodiscard]] double by_rates(memory_id from, memory_id to, std::uint64_t bytes) const;
  void recall() const;

  const machine& machine_;
  kept_costs* const kept_;
  mutable bool has_asked_ = false;
  mutable std::map<copy_key, link_costs> known_;
  mutable std::vector<link_predictions> predictions_;  ///< of each stream
  nanoseconds usual_{0};
  std::uint64_t changes_ = 0;
};

}  // namespace hocket::placement
