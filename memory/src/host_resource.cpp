// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/memory/host_resource.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include <hocket/core/large_pages.hpp>

namespace hocket {

result<allocation> host_resource::allocate(std::size_t bytes, std::size_t alignment) {
  void* const address = obtain(bytes, alignment);
  if (address == nullptr) {
    return failure(failure_code::out_of_memory, owner_ + " has no memory for " +
                                                    std::to_string(bytes) +
                                                    " bytes: the host itself has none left.");
  }
  prefer_large_pages(address, bytes);
  return allocation{address, bytes};
}

void host_resource::deallocate(const allocation& a) noexcept { give_back(a.chunk, a.bytes); }

void* host_resource::obtain(std::size_t bytes, std::size_t alignment) noexcept {
  // Sanitizers abort on sizes that no object may have.
  if (bytes > static_cast<std::size_t>(PTRDIFF_MAX)) return nullptr;
  void* address = nullptr;
  const std::size_t least = std::max(alignment, sizeof(void*));  // what posix_memalign takes
  return ::posix_memalign(&address, least, std::max<std::size_t>(bytes, 1)) == 0 ? address
                                                                                 : nullptr;
}

void host_resource::give_back(void* address, std::size_t) noexcept { std::free(address); }

}  // namespace hocket
