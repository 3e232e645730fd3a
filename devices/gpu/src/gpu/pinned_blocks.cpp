// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "gpu/pinned_blocks.hpp"

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "gpu/context.hpp"
#include "gpu/errors.hpp"

namespace hocket::gpu {

namespace {

// Smaller ones take about as long either way.
constexpr std::size_t least_bytes = std::size_t{64} << 10U;

/// Pinned memory is lost to the rest of the system.
std::size_t most_bytes() {
  static const auto all = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                          static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return all / 2;
}

/// Memory that any runtime of the process has pinned, or has given back although the driver did not
/// take note of it. Elsewhere the driver's word on it is worth nothing.
class ranges_of_process {
 public:
  static ranges_of_process& get() {
    static auto& only = *new ranges_of_process;  // runtimes may end after main
    return only;
  }

  /// False if some of it is there already.
  bool add(void* address, std::size_t bytes) {
    const std::lock_guard lock(guard_);
    if (overlaps(address, bytes)) return false;
    ranges_.emplace(static_cast<std::byte*>(address), bytes);
    return true;
  }
  void remove(void* address) {
    const std::lock_guard lock(guard_);
    ranges_.erase(static_cast<std::byte*>(address));
  }
  [[nodiscard]] bool has(const allocation& some) const {
    const std::lock_guard lock(guard_);
    return overlaps(some.address(), some.bytes);
  }

 private:
  [[nodiscard]] bool overlaps(void* address, std::size_t bytes) const {
    std::byte* const begin = static_cast<std::byte*>(address);
    const auto after = ranges_.lower_bound(begin);
    if (after != ranges_.end() && std::less<>{}(after->first, begin + bytes)) return true;
    if (after == ranges_.begin()) return false;
    const auto& [first, count] = *std::prev(after);
    return std::less<>{}(begin, first + count);
  }

  mutable std::mutex guard_;
  std::map<std::byte*, std::size_t, std::less<>> ranges_;
};

/// With one of the contexts: that of a lost device is of no use.
bool unregister(void* address, const std::vector<std::shared_ptr<context>>& any) noexcept {
  return std::ranges::any_of(any, [&](const std::shared_ptr<context>& each) {
    if (each->driver().gone) return false;
    const current in(*each);
    return in.why() == success && each->driver().host_unregister(address) == success;
  });
}

}  // namespace

pinned_blocks::user::user(pinned_blocks& of, std::shared_ptr<context> in)
    : of_(of), in_(std::move(in)) {
  const std::lock_guard lock(of_.guard_);
  of_.users_.push_back(in_);
}

pinned_blocks::user::~user() { of_.leave(in_); }

void pinned_blocks::leave(const std::shared_ptr<context>& in) noexcept {
  std::vector<block> gone;
  std::vector<std::shared_ptr<context>> others;
  {
    const std::lock_guard lock(guard_);
    users_.erase(std::ranges::find(users_, in));
    for (auto& [address, each] : blocks_) {
      if (each.by == in) gone.push_back(take_out(each));
    }
    others = users_;
    if (users_.empty()) blocks_.clear();
  }
  if (gone.empty()) return;
  // From here on others copy the blocks through other memory; what they began before goes on.
  for (const auto& each : others) {
    const current now(*each);
    if (now.why() == success) (void)each->driver().synchronize();
  }
  std::vector<std::shared_ptr<context>> any{in};
  any.insert(any.end(), others.begin(), others.end());
  for (const block& each : gone) {
    if (unregister(each.address, any)) ranges_of_process::get().remove(each.address);
  }
}

void pinned_blocks::remember(const allocation& host) {
  if (host.bytes < least_bytes) return;
  const std::lock_guard lock(guard_);
  blocks_.try_emplace(host.address(), block{host.address(), host.bytes, 0, false, nullptr});
}

void pinned_blocks::forget(const allocation& host) noexcept {
  if (host.bytes < least_bytes) return;
  block gone;
  std::vector<std::shared_ptr<context>> any;
  {
    const std::lock_guard lock(guard_);
    const auto found = blocks_.find(host.address());
    if (found == blocks_.end()) return;
    if (found->second.by != nullptr) {
      any.push_back(found->second.by);
      any.insert(any.end(), users_.begin(), users_.end());
      gone = take_out(found->second);
    }
    blocks_.erase(found);
  }
  // Without the lock: the driver may wait for its devices.
  if (any.empty()) return;
  if (unregister(gone.address, any)) ranges_of_process::get().remove(gone.address);
}

const pinned_blocks::block* pinned_blocks::find(const allocation& host) const {
  auto after = blocks_.upper_bound(host.address());
  if (after == blocks_.begin()) return nullptr;
  const block& found = std::prev(after)->second;
  const auto* const end = static_cast<const std::byte*>(found.address) + found.bytes;
  return std::less<>{}(host.address(), static_cast<const void*>(end)) ? &found : nullptr;
}

void pinned_blocks::note_copy(const allocation& host) {
  if (host.bytes < least_bytes) return;
  const std::lock_guard lock(guard_);
  if (const block* const found = find(host)) ++blocks_.at(found->address).copies;
}

std::optional<bool> pinned_blocks::is_pinned(const allocation& host) const {
  {
    const std::lock_guard lock(guard_);
    const block* const found = find(host);
    if (found != nullptr && found->by != nullptr) return true;
  }
  return ranges_of_process::get().has(host) ? std::optional(false) : std::nullopt;
}

bool pinned_blocks::should_pin(const block& of) const noexcept {
  return of.copies > 0 && !of.refused && of.by == nullptr &&
         pinned_bytes_ + of.bytes <= most_bytes();
}

bool pinned_blocks::should_pin(const allocation& host) const {
  if (host.bytes < least_bytes) return false;
  const std::lock_guard lock(guard_);
  const block* const found = find(host);
  return found != nullptr && should_pin(*found);
}

void pinned_blocks::pin(const std::shared_ptr<context>& by, const allocation& host) {
  void* address = nullptr;
  std::size_t bytes = 0;
  {
    const std::lock_guard lock(guard_);
    const block* const found = find(host);
    if (found == nullptr || !should_pin(*found)) return;
    address = found->address;
    bytes = found->bytes;
    blocks_.at(address).refused = true;  // no other thread tries meanwhile
    if (!ranges_of_process::get().add(address, bytes)) return;
    pinned_bytes_ += bytes;
  }
  const current in(*by);
  const code answer = in.why() != success
                          ? in.why()
                          : by->driver().host_register(address, bytes, host_memory_portable);
  const std::lock_guard lock(guard_);
  if (answer != success) {
    pinned_bytes_ -= bytes;
    ranges_of_process::get().remove(address);
    return;
  }
  // The block is there: a copy that uses it waits for this.
  block& what = blocks_.at(address);
  what.refused = false;
  what.by = by;
}

/// The block is not pinned any more, and another device may pin it. Returns how it was.
pinned_blocks::block pinned_blocks::take_out(block& what) noexcept {
  pinned_bytes_ -= what.bytes;
  block was = what;
  what.by = nullptr;
  return was;
}

}  // namespace hocket::gpu
