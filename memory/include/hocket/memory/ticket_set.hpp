// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>

#include <hocket/core/short_list.hpp>
#include <hocket/core/timepoint.hpp>

namespace hocket {

/// Points that something waits for: at most one for each stream (the latest), sorted by stream.
class ticket_set {
 public:
  /// An invalid ticket is left out.
  void add(ticket t) {
    if (!t.valid()) return;
    if (tickets_.empty() || tickets_.back().stream < t.stream) {
      tickets_.push_back(t);
    } else if (tickets_.back().stream == t.stream) {
      tickets_.back().value = std::max(tickets_.back().value, t.value);
    } else {
      add_before_last(t);
    }
  }
  void add(const ticket_set& others) {
    if (tickets_.empty()) {
      tickets_ = others.tickets_;
    } else {
      for (const ticket t : others) add(t);
    }
  }

  /// Drops the tickets for which done(ticket) is true.
  template <class Done>
  void prune(Done&& done) {
    const auto kept = std::remove_if(tickets_.begin(), tickets_.end(), done);
    tickets_.shrink(static_cast<std::size_t>(kept - tickets_.begin()));
  }
  void clear() noexcept { tickets_.clear(); }

  [[nodiscard]] bool empty() const noexcept { return tickets_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return tickets_.size(); }
  [[nodiscard]] const ticket* begin() const noexcept { return tickets_.begin(); }
  [[nodiscard]] const ticket* end() const noexcept { return tickets_.end(); }
  friend bool operator==(const ticket_set&, const ticket_set&) = default;

 private:
  void add_before_last(ticket t);

  short_list<ticket, 4> tickets_;
};

}  // namespace hocket
