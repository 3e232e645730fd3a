// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>

#include <boost/container/small_vector.hpp>

#include <hocket/core/timepoint.hpp>

namespace hocket {

/// Points that something waits for: at most one for each stream (the latest), sorted by stream.
class ticket_set {
 public:
  using container = boost::container::small_vector<ticket, 4>;

  /// An invalid ticket is left out.
  void add(ticket t);
  void add(const ticket_set& others);

  /// Drops the tickets for which done(ticket) is true.
  template <class Done>
  void prune(Done&& done) {
    tickets_.erase(std::remove_if(tickets_.begin(), tickets_.end(), done), tickets_.end());
  }
  void clear() noexcept { tickets_.clear(); }

  [[nodiscard]] bool empty() const noexcept { return tickets_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return tickets_.size(); }
  [[nodiscard]] auto begin() const noexcept { return tickets_.begin(); }
  [[nodiscard]] auto end() const noexcept { return tickets_.end(); }
  friend bool operator==(const ticket_set&, const ticket_set&) = default;

 private:
  container tickets_;
};

}  // namespace hocket
