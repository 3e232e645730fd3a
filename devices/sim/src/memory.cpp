// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "memory.hpp"

#include <cstring>

namespace hocket::sim {

namespace {

void poison([[maybe_unused]] void* address, [[maybe_unused]] std::size_t bytes) {
#ifndef NDEBUG
  if (address != nullptr) std::memset(address, 0xff, bytes);
#endif
}

}  // namespace

void* poisoned_memory::obtain(std::size_t bytes, std::size_t alignment) noexcept {
  void* const address = host_memory::obtain(bytes, alignment);
  poison(address, bytes);
  return address;
}

void poisoned_memory::give_back(void* address, std::size_t bytes) noexcept {
  poison(address, bytes);
  host_memory::give_back(address, bytes);
}

}  // namespace hocket::sim
