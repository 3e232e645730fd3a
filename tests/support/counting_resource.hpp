// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>

#include <hocket/memory/resource.hpp>

namespace hocket::testing {

/// Counts what goes through it; upstream must live longer.
class counting_resource final : public memory_resource {
 public:
  /// Bytes are those that upstream gave.
  struct counts {
    std::uint64_t live_bytes = 0;
    std::uint64_t live_allocations = 0;
    std::uint64_t peak_bytes = 0;  ///< the most that was live at a time
    std::uint64_t total_bytes = 0;
    std::uint64_t total_allocations = 0;
    std::uint64_t failures = 0;
    friend bool operator==(const counts&, const counts&) = default;
  };

  explicit counting_resource(memory_resource& upstream) noexcept : upstream_(upstream) {}

  [[nodiscard]] result<allocation> allocate(std::size_t bytes, std::size_t alignment) override {
    result<allocation> given = upstream_.allocate(bytes, alignment);
    const std::lock_guard lock(mutex_);
    if (!given) {
      ++counts_.failures;
      return given;
    }
    const std::size_t size = given.value().bytes;
    counts_.live_bytes += size;
    ++counts_.live_allocations;
    counts_.peak_bytes = std::max(counts_.peak_bytes, counts_.live_bytes);
    counts_.total_bytes += size;
    ++counts_.total_allocations;
    return given;
  }

  void deallocate(const allocation& a) noexcept override {
    {
      const std::lock_guard lock(mutex_);
      counts_.live_bytes -= a.bytes;
      --counts_.live_allocations;
    }
    upstream_.deallocate(a);
  }

  /// All numbers of one moment.
  [[nodiscard]] counts now() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  memory_resource& upstream_;
  mutable std::mutex mutex_;
  counts counts_;
};

}  // namespace hocket::testing
