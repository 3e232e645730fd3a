// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "pinned_blocks.hpp"

#include <unistd.h>

#include "context.hpp"
#include "errors.hpp"

namespace hocket::cuda {

namespace {

// Smaller ones take about as long either way.
constexpr std::size_t least_bytes = std::size_t{64} << 10U;

/// Pinned memory is lost to the rest of the system.
std::size_t most_bytes() {
  static const auto all = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                          static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return all / 2;
}

}  // namespace

pinned_blocks::user::user(pinned_blocks& of) : of_(of) {
  const std::lock_guard lock(of_.guard_);
  ++of_.users_;
}

pinned_blocks::user::~user() {
  const std::lock_guard lock(of_.guard_);
  if (--of_.users_ > 0) return;
  for (auto& [address, each] : of_.blocks_) of_.unpin(each);
  of_.blocks_.clear();
}

void pinned_blocks::remember(const allocation& host) {
  if (host.bytes < least_bytes) return;
  const std::lock_guard lock(guard_);
  blocks_.try_emplace(host.address(), block{host.address(), host.bytes, 0, false, nullptr});
}

void pinned_blocks::forget(const allocation& host) noexcept {
  if (host.bytes < least_bytes) return;
  const std::lock_guard lock(guard_);
  const auto found = blocks_.find(host.address());
  if (found == blocks_.end()) return;
  unpin(found->second);
  blocks_.erase(found);
}

void pinned_blocks::note_copy(const allocation& host) {
  if (host.bytes < least_bytes) return;
  const std::lock_guard lock(guard_);
  if (const auto found = blocks_.find(host.address()); found != blocks_.end()) {
    ++found->second.copies;
  }
}

bool pinned_blocks::should_pin(const block& of) const noexcept {
  return of.copies > 0 && !of.refused && of.by == nullptr &&
         pinned_bytes_ + of.bytes <= most_bytes();
}

bool pinned_blocks::should_pin(const allocation& host) const {
  if (host.bytes < least_bytes) return false;
  const std::lock_guard lock(guard_);
  const auto found = blocks_.find(host.address());
  return found != blocks_.end() && should_pin(found->second);
}

void pinned_blocks::pin(const std::shared_ptr<context>& by, const allocation& host) {
  constexpr unsigned for_all_contexts = 1;
  std::size_t bytes = 0;
  {
    const std::lock_guard lock(guard_);
    const auto found = blocks_.find(host.address());
    if (found == blocks_.end() || !should_pin(found->second)) return;
    bytes = found->second.bytes;
    found->second.refused = true;  // nobody else tries meanwhile
    pinned_bytes_ += bytes;
  }
  const current in(*by);
  const code answer = in.why() != success ? in.why()
                                          : by->driver().cuMemHostRegister_v2(host.address(), bytes,
                                                                              for_all_contexts);
  const std::lock_guard lock(guard_);
  if (answer != success) {
    pinned_bytes_ -= bytes;
    return;
  }
  // The block is there: a copy that uses it waits for this.
  block& what = blocks_.at(host.address());
  what.refused = false;
  what.by = by;
}

void pinned_blocks::unpin(block& what) noexcept {
  if (what.by == nullptr) return;
  pinned_bytes_ -= what.bytes;
  if (!what.by->driver().gone) {
    const current in(*what.by);
    (void)what.by->driver().cuMemHostUnregister(what.address);
  }
  what.by = nullptr;
}

}  // namespace hocket::cuda
