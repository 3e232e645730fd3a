// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/core/large_pages.hpp>

#include <sys/mman.h>

#include <memory>

namespace hocket {

void prefer_large_pages(void* address, std::size_t bytes) noexcept {
  constexpr std::size_t page = std::size_t{2} << 20U, least = 2 * page;
  if (bytes < least) return;
  // The first place where a page may begin; what lies before and behind keeps its small ones.
  std::size_t left = bytes;
  if (std::align(page, page, address, left) == nullptr) return;
  // Refused by a system without them, which is as good as before.
  (void)::madvise(address, left / page * page, MADV_HUGEPAGE);
}

}  // namespace hocket
