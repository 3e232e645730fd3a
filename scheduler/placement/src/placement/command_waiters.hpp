// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "placement/machine.hpp"

namespace hocket::placement {

/// Calls that wait until commands are done.
class command_waiters {
 public:
  explicit command_waiters(std::size_t streams) : streams_(streams) {}

  /// Keeps a call that becomes due when all timepoints are done, of which is_done(point) tells
  /// those that are; makes it at once if all are.
  template <class IsDone>
  void add(const timepoint_set& points, std::function<void()> next, const IsDone& is_done) {
    const auto waits = std::make_shared<waiter>();
    for (const point t : points) {
      if (is_done(t)) continue;
      ++waits->missing;
      streams_[t.stream.value].emplace(t.value, waits);
    }
    if (waits->missing == 0) {
      next();
    } else {
      waits->next = std::move(next);
    }
  }

  /// The commands of a stream are done up to this one.
  void wake(stream_id stream, std::uint64_t up_to) {
    if (!streams_[stream.value].empty()) wake_some(streams_[stream.value], up_to);
  }

  [[nodiscard]] bool has_due() const noexcept { return !due_.empty(); }
  /// Makes the calls that are due. Returns false if there are none.
  bool run_due() { return has_due() && run_all_due(); }

 private:
  struct waiter {
    std::size_t missing = 0;
    std::function<void()> next;
  };
  using waiters_of_stream = std::multimap<std::uint64_t, std::shared_ptr<waiter>>;

  void wake_some(waiters_of_stream& waiters, std::uint64_t up_to);
  bool run_all_due();

  std::vector<waiters_of_stream> streams_;
  std::vector<std::function<void()>> due_;
};

}  // namespace hocket::placement
