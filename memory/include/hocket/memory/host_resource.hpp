// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <type_traits>

#include <hocket/memory/resource.hpp>

namespace hocket {

/// Memory of the process. Each allocation is a chunk of its own, so its offset is 0.
class host_resource final : public memory_resource {
 public:
  [[nodiscard]] result<allocation> allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(const allocation& a) noexcept override;

 private:
  std::atomic<std::size_t> in_use_{0};
};

static_assert(std::is_base_of_v<memory_resource, host_resource> &&
              !std::is_abstract_v<host_resource>);

}  // namespace hocket
