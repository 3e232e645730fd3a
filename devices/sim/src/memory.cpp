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

void* device_memory::obtain(std::size_t bytes, std::size_t alignment) noexcept {
  if (faults_->refuses_memory) return nullptr;
  void* const address = host_resource::obtain(bytes, alignment);
  if (poisons_) poison(address, bytes);
  return address;
}

void device_memory::give_back(void* address, std::size_t bytes) noexcept {
  if (poisons_) poison(address, bytes);
  host_resource::give_back(address, bytes);
}

}  // namespace hocket::sim
