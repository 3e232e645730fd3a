// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/host_memory.hpp>

#include <algorithm>
#include <cstdlib>

#include <hocket/core/large_pages.hpp>

namespace hocket {

result<allocation> host_memory::allocate(std::size_t bytes, std::size_t alignment) {
  std::uint64_t used = used_.load();
  do {
    if (bytes > limit_ || used > limit_ - bytes) {
      return refuse(bytes,
                    std::to_string(used) + " of " + std::to_string(limit_) + " bytes are in use.");
    }
  } while (!used_.compare_exchange_weak(used, used + bytes));
  void* const address = obtain(bytes, alignment);
  if (address == nullptr) {
    used_.fetch_sub(bytes);
    return refuse(bytes, "the host itself has none left.");
  }
  prefer_large_pages(address, bytes);
  return allocation{address, 0, bytes};
}

void host_memory::deallocate(const allocation& a) noexcept {
  give_back(a.chunk, a.bytes);
  used_.fetch_sub(a.bytes);
}

void* host_memory::obtain(std::size_t bytes, std::size_t alignment) noexcept {
  void* address = nullptr;
  const std::size_t least = std::max(alignment, sizeof(void*));  // what posix_memalign takes
  return ::posix_memalign(&address, least, std::max<std::size_t>(bytes, 1)) == 0 ? address
                                                                                 : nullptr;
}

void host_memory::give_back(void* address, std::size_t) noexcept { std::free(address); }

failure host_memory::refuse(std::size_t bytes, const std::string& why) const {
  return {failure_code::out_of_memory, "Device \"" + device_ + "\" has no memory for " +
                                           std::to_string(bytes) + " bytes: " + why};
}

}  // namespace hocket
