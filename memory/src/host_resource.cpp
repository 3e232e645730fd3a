// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/memory/host_resource.hpp>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <hocket/core/large_pages.hpp>

namespace hocket {

result<allocation> host_resource::allocate(std::size_t bytes, std::size_t alignment) {
  assert(std::has_single_bit(alignment));
  alignment = std::max(alignment, alignof(std::max_align_t));
  // Sizes that no object may have are refused here: some allocators abort on them.
  constexpr auto largest = static_cast<std::size_t>(PTRDIFF_MAX);
  void* chunk = nullptr;
  std::size_t size = 0;
  if (bytes <= largest - alignment) {
    size = std::max<std::size_t>((bytes + alignment - 1) / alignment * alignment, alignment);
    chunk = std::aligned_alloc(alignment, size);
  }
  if (chunk == nullptr) {
    return failure(failure_code::out_of_memory,
                   "The process cannot get " + std::to_string(bytes) + " bytes aligned to " +
                       std::to_string(alignment) + "; " + std::to_string(in_use_.load()) +
                       " bytes are in use here, and the operating system allows no more.");
  }
  prefer_large_pages(chunk, size);
  in_use_.fetch_add(size, std::memory_order_relaxed);
  return allocation{chunk, 0, size};
}

void host_resource::deallocate(const allocation& a) noexcept {
  in_use_.fetch_sub(a.bytes, std::memory_order_relaxed);
  std::free(a.chunk);
}

}  // namespace hocket
