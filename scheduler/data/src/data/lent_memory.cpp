// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/lent_memory.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <limits>

#include <hocket/core/error.hpp>

namespace hocket::detail {

namespace {

std::string shown(std::uintptr_t address) {
  char text[2 + 2 * sizeof address + 1];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

/// Of an array of these extents the bytes up to the last element that lies within the content.
/// Returns false if a size_t cannot count them.
bool count_bytes(const memory_offer& offer, std::size_t& bytes) {
  std::size_t stride = size_of(offer.type);
  bytes = stride;
  for (std::size_t d = offer.extents.size(); d-- > 0;) {
    std::size_t last = 0;
    if (__builtin_mul_overflow(offer.extents[d] - 1, stride, &last) ||
        __builtin_add_overflow(bytes, last, &bytes) ||
        __builtin_mul_overflow(stride, offer.array[d], &stride)) {
      return false;
    }
  }
  return true;
}

}  // namespace

void lent_ranges::add(std::uintptr_t first, std::uintptr_t end, const std::string& label) {
  const std::lock_guard lock(guard_);
  const auto behind = ranges_.lower_bound(end);
  if (behind != ranges_.begin()) {
    const range& before = std::prev(behind)->second;
    if (before.end > first) {
      throw usage_error("Buffer \"" + label + "\" is to lie over memory that buffer \"" +
                        before.label +
                        "\" uses, or still uses; one buffer can be given to many tasks, and parts "
                        "of it too (rows, tile).");
    }
  }
  ranges_.emplace_hint(behind, first, range{end, label});
}

void lent_ranges::remove(std::uintptr_t first) noexcept {
  const std::lock_guard lock(guard_);
  ranges_.erase(first);
}

bool lent_ranges::is_empty() {
  const std::lock_guard lock(guard_);
  return ranges_.empty();
}

lent_memory::lent_memory(std::shared_ptr<lent_ranges> home, memory_offer&& offer,
                         const std::string& label)
    : home_(std::move(home)),
      address_(static_cast<std::byte*>(offer.address)),
      is_constant_(offer.is_constant),
      owner_(std::move(offer.owner)) {
  const auto refuse = [&](const std::string& what) {
    return usage_error("Buffer \"" + label + "\" is to lie over memory of the program " + what);
  };
  if (volume(offer.extents) == 0) {
    throw refuse("without elements (" + to_string(offer.extents) + "); it needs one at least.");
  }
  if (address_ == nullptr) throw refuse("at address null.");
  const auto first = reinterpret_cast<std::uintptr_t>(address_);
  const std::size_t unit = alignment_of(offer.type);
  if (first % unit != 0) {
    throw refuse("at address " + shown(first) + ", which is no multiple of " +
                 std::to_string(unit) + ", as one of " + to_string(offer.type) + " has to be.");
  }
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
  if (!count_bytes(offer, bytes_) || bytes_ > most - std::min<std::uintptr_t>(first, most)) {
    throw refuse("at address " + shown(first) + " with " + to_string(offer.extents) +
                 " elements of " + to_string(offer.type) +
                 ", which is more than addresses can count.");
  }
  home_->add(first, first + bytes_, label);
  is_lent_ = true;
}

void lent_memory::give_back() noexcept {
  std::unique_ptr<lent_owner> owner;
  {
    const std::lock_guard lock(guard_);
    if (!std::exchange(is_lent_, false)) return;
    owner = std::move(owner_);
  }
  home_->remove(reinterpret_cast<std::uintptr_t>(address_));
}

index_list array_with(const index_list& extents, const index_list& strides) {
  index_list array = extents;
  const auto refuse = [&](const std::string& what) {
    return usage_error("Memory of the program with extents " + to_string(extents) +
                       " and strides " + to_string(strides) + " (in elements, slowest first) " +
                       what);
  };
  const std::size_t last = extents.size() - 1;
  if (strides[last] != 1) throw refuse("cannot be a buffer: the last stride must be 1.");
  for (std::size_t d = last; d > 0; --d) {
    const std::size_t inner = strides[d];
    if (inner == 0 || strides[d - 1] % inner != 0 || strides[d - 1] / inner < extents[d]) {
      throw refuse(
          "cannot be a buffer: each stride must be a multiple of the next one, and leave "
          "room for the elements in between.");
    }
    array[d] = strides[d - 1] / inner;
  }
  return array;
}

}  // namespace hocket::detail
