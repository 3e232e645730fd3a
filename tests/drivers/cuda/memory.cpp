// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "failure.hpp"

namespace standin {

namespace {

constexpr std::size_t alignment = 512;
/// Bytes after each allocation that belong to no allocation.
constexpr std::size_t gap = 512;
/// Fresh memory begins with this many bytes of a pattern that is neither zero nor a usual number.
constexpr std::size_t poisoned = std::size_t{1} << 20U;

std::atomic<std::uint64_t> ended_allocations{0};

std::size_t with_gap(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment + gap;
}

}  // namespace

std::uint64_t memory_version() { return ended_allocations.load(std::memory_order_acquire); }

void extent_table::add(const extent& e) {
  const std::lock_guard lock(mutex_);
  extents_[e.begin] = e;
}

bool extent_table::remove(std::uint64_t begin) {
  const std::lock_guard lock(mutex_);
  if (extents_.erase(begin) == 0) return false;
  ended_allocations.fetch_add(1, std::memory_order_release);
  return true;
}

std::optional<extent> extent_table::find(std::uint64_t address, std::size_t size) const {
  const std::lock_guard lock(mutex_);
  auto after = extents_.upper_bound(address);
  if (after == extents_.begin()) return std::nullopt;
  const extent& e = std::prev(after)->second;
  return e.covers(address, size) ? std::optional(e) : std::nullopt;
}

std::size_t extent_table::count() const {
  const std::lock_guard lock(mutex_);
  return extents_.size();
}

device_memory::device_memory(std::size_t bytes) : bytes_(bytes) {
  const int file = memfd_create("standin-cuda", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    throw failure(out_of_memory, "no memory file for a device");
  }
  void* const device = mmap(nullptr, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
  void* const host =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  close(file);
  if (device == MAP_FAILED || host == MAP_FAILED) {
    throw failure(out_of_memory, "the memory of a device cannot be mapped");
  }
  begin_ = reinterpret_cast<std::uint64_t>(device);
  host_ = static_cast<char*>(host);
  holes_[0] = bytes;
}

std::uint64_t device_memory::allocate(std::size_t bytes) {
  if (bytes == 0 || bytes > bytes_) return 0;
  const std::size_t wanted = with_gap(bytes);
  const std::lock_guard lock(mutex_);
  const auto hole =
      std::find_if(holes_.begin(), holes_.end(), [&](const auto& h) { return h.second >= wanted; });
  if (hole == holes_.end()) return 0;
  const auto [offset, room] = *hole;
  holes_.erase(hole);
  if (room > wanted) holes_[offset + wanted] = room - wanted;
  used_[offset] = wanted;
  std::memset(host_ + offset, 0xA5, std::min(bytes, poisoned));
  table_.add({begin_ + offset, bytes, host_ + offset});
  return begin_ + offset;
}

bool device_memory::free(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto used = used_.find(address - begin_);
  if (used == used_.end()) return false;
  table_.remove(address);
  auto hole = holes_.insert(*used).first;
  used_.erase(used);
  if (const auto next = std::next(hole);
      next != holes_.end() && hole->first + hole->second == next->first) {
    hole->second += next->second;
    holes_.erase(next);
  }
  if (hole != holes_.begin()) {
    const auto before = std::prev(hole);
    if (before->first + before->second == hole->first) {
      before->second += hole->second;
      holes_.erase(hole);
    }
  }
  return true;
}

std::size_t device_memory::free_bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t sum = 0;
  for (const auto& [offset, bytes] : holes_) sum += bytes;
  return sum;
}

host_memory_table& host_allocations() {
  static auto& table = *new host_memory_table;
  return table;
}

void free_host_memory(std::uint64_t begin) {
  host_memory_table& table = host_allocations();
  if (table.locked.remove(begin)) std::free(reinterpret_cast<void*>(begin));
  table.registered.remove(begin);
}

char* memory_view::look_up(std::uint64_t address, std::size_t size, kept& into) {
  const std::uint64_t version = memory_version();
  std::optional<extent> found;
  for (const device_memory* const d : devices_) {
    if (d->owns(address)) found = d->find(address, size);
  }
  if (!found) found = host_allocations().find(address, size);
  if (!found) return nullptr;
  into = {*found, version};
  return found->host + (address - found->begin);
}

}  // namespace standin
