// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "process_mark.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <new>

namespace hocket {
namespace {

using mark = std::atomic<std::uint64_t>;

/// A mark that is zero in a forked child. Null if the system has no such memory.
mark* make_mark() noexcept {
  constexpr std::size_t bytes = 4096;
  void* const page =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return nullptr;
  // Some emulators accept any advice, and follow none.
  constexpr int no_advice = -1;
  const bool asks = ::madvise(page, bytes, no_advice) != 0;
  if (asks && ::madvise(page, bytes, MADV_WIPEONFORK) == 0) return ::new (page) mark(0);
  ::munmap(page, bytes);
  return nullptr;
}

/// Copied by a fork, as other memory is.
mark last_mark{0};

}  // namespace

std::uint64_t process_mark() noexcept {
  static mark* const own = make_mark();
  if (own == nullptr) return static_cast<std::uint64_t>(::getpid());
  std::uint64_t seen = own->load();
  if (seen != 0) return seen;
  const std::uint64_t fresh = last_mark.fetch_add(1) + 1;
  // Another thread may have been faster.
  return own->compare_exchange_strong(seen, fresh) ? fresh : seen;
}

}  // namespace hocket
