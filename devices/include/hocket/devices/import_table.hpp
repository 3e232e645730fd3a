// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <map>
#include <mutex>
#include <utility>

#include <hocket/memory/resource.hpp>

namespace hocket {

/// The allocations of the host's memory that a driver uses in place, and for each what the driver
/// has made of it. Any thread.
template <class Import>
class import_table {
 public:
  /// Null if the allocation was not imported yet. What is found stays where it is until the
  /// allocation is forgotten or added again.
  [[nodiscard]] const Import* find(const allocation& host) const {
    const std::lock_guard lock(guard_);
    const auto at = imported_.find(host.address());
    return at == imported_.end() ? nullptr : &at->second;
  }

  /// Replaces what was known of the allocation.
  void add(const allocation& host, Import made) {
    const std::lock_guard lock(guard_);
    imported_.insert_or_assign(host.address(), std::move(made));
  }

  /// The allocation goes away: gives its import back to the driver.
  void forget(const allocation& host) noexcept {
    const std::lock_guard lock(guard_);
    imported_.erase(host.address());
  }

 private:
  mutable std::mutex guard_;  // for what follows
  std::map<const void*, Import> imported_;
};

}  // namespace hocket
