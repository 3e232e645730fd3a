// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>

#include <hocket/devices/copy_check_counts.hpp>

namespace hocket::integrity {

/// Counts the comparisons of all devices of one runtime. Any thread.
class tally {
 public:
  void copy_is_same() noexcept { checked_.fetch_add(1, std::memory_order_relaxed); }
  void copy_differs() noexcept { corrupted_.fetch_add(1, std::memory_order_relaxed); }
  void copy_is_given_up() noexcept {
    checked_.fetch_add(1, std::memory_order_relaxed);
    failed_.fetch_add(1, std::memory_order_relaxed);
  }
  [[nodiscard]] copy_check_counts counts() const noexcept {
    return {checked_.load(std::memory_order_relaxed), corrupted_.load(std::memory_order_relaxed),
            failed_.load(std::memory_order_relaxed)};
  }

 private:
  // Numbers for reports: they order nothing, so that all accesses are relaxed.
  std::atomic<std::uint64_t> checked_{0};
  std::atomic<std::uint64_t> corrupted_{0};
  std::atomic<std::uint64_t> failed_{0};
};

}  // namespace hocket::integrity
