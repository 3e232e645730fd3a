// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/memory/counting_resource.hpp>

#include <algorithm>

namespace hocket {

result<allocation> counting_resource::allocate(std::size_t bytes, std::size_t alignment) {
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

void counting_resource::deallocate(const allocation& a) noexcept {
  {
    const std::lock_guard lock(mutex_);
    counts_.live_bytes -= a.bytes;
    --counts_.live_allocations;
  }
  upstream_.deallocate(a);
}

counting_resource::counts counting_resource::now() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace hocket
