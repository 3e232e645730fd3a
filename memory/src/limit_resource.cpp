// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/memory/limit_resource.hpp>

#include <cassert>
#include <string>

namespace hocket {

bool limit_resource::charge(std::size_t bytes) noexcept {
  std::size_t before = in_use_.load(std::memory_order_relaxed);
  do {
    if (bytes > allowed_ - before) return false;
  } while (!in_use_.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
  return true;
}

failure limit_resource::too_much(std::size_t bytes) const {
  return {failure_code::out_of_memory, owner_ + " has no memory for " + std::to_string(bytes) +
                                           " bytes: " + std::to_string(in_use()) + " of " +
                                           std::to_string(allowed_) + " bytes are in use."};
}

result<allocation> limit_resource::allocate(std::size_t bytes, std::size_t alignment) {
  if (!charge(bytes)) return too_much(bytes);
  result<allocation> given = upstream_.allocate(bytes, alignment);
  if (!given) {
    in_use_.fetch_sub(bytes, std::memory_order_relaxed);
    return given;
  }
  const allocation a = given.value();
  assert(a.bytes >= bytes);
  if (!charge(a.bytes - bytes)) {
    upstream_.deallocate(a);
    in_use_.fetch_sub(bytes, std::memory_order_relaxed);
    return too_much(a.bytes);
  }
  return given;
}

void limit_resource::deallocate(const allocation& a) noexcept {
  upstream_.deallocate(a);
  in_use_.fetch_sub(a.bytes, std::memory_order_relaxed);
}

}  // namespace hocket
