// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <mutex>
#include <type_traits>

#include <hocket/memory/resource.hpp>

namespace hocket {

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

  [[nodiscard]] result<allocation> allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(const allocation& a) noexcept override;

  /// All numbers of one moment.
  [[nodiscard]] counts now() const;

 private:
  memory_resource& upstream_;
  mutable std::mutex mutex_;
  counts counts_;
};

static_assert(std::is_base_of_v<memory_resource, counting_resource> &&
              !std::is_abstract_v<counting_resource>);

}  // namespace hocket
