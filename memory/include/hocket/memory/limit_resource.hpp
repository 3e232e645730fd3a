// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <type_traits>

#include <hocket/memory/resource.hpp>

namespace hocket {

/// Gives at most so many bytes of upstream at a time; upstream must live longer. What counts is
/// what upstream gave, which may be more than was asked.
class limit_resource final : public memory_resource {
 public:
  limit_resource(memory_resource& upstream, std::size_t bytes) noexcept
      : upstream_(upstream), allowed_(bytes) {}

  [[nodiscard]] result<allocation> allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(const allocation& a) noexcept override;

  [[nodiscard]] std::size_t in_use() const noexcept {
    return in_use_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t allowed() const noexcept { return allowed_; }

 private:
  [[nodiscard]] bool charge(std::size_t bytes) noexcept;
  [[nodiscard]] failure too_much(std::size_t bytes) const;

  memory_resource& upstream_;
  std::size_t allowed_;
  std::atomic<std::size_t> in_use_{0};
};

static_assert(std::is_base_of_v<memory_resource, limit_resource> &&
              !std::is_abstract_v<limit_resource>);

}  // namespace hocket
