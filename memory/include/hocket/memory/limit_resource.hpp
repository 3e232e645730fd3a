// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <string>
#include <type_traits>

#include <hocket/memory/resource.hpp>

namespace hocket {

/// Gives at most so many bytes of upstream at a time; upstream must live longer. The bytes that
/// upstream gave are counted, which may be more than was asked for.
class limit_resource final : public memory_resource {
 public:
  /// owner begins messages, for example "Device \"OpenCL0\"".
  limit_resource(memory_resource& upstream, std::string owner, std::size_t bytes) noexcept
      : upstream_(upstream), owner_(std::move(owner)), allowed_(bytes) {}

  [[nodiscard]] result<allocation> allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(const allocation& a) noexcept override;

  [[nodiscard]] std::size_t in_use() const noexcept {
    return in_use_.load(std::memory_order_relaxed);
  }

 private:
  [[nodiscard]] bool charge(std::size_t bytes) noexcept;
  [[nodiscard]] failure too_much(std::size_t bytes) const;

  memory_resource& upstream_;
  const std::string owner_;
  const std::size_t allowed_;
  std::atomic<std::size_t> in_use_{0};
};

static_assert(std::is_base_of_v<memory_resource, limit_resource> &&
              !std::is_abstract_v<limit_resource>);

}  // namespace hocket
