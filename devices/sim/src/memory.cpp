// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "memory.hpp"

#include <algorithm>
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
  if (backing_ == memory_backing::none) return unbacked(bytes, alignment);
  void* const address = host_resource::obtain(bytes, alignment);
  if (backing_ == memory_backing::poisoned) poison(address, bytes);
  return address;
}

void device_memory::give_back(void* address, std::size_t bytes) noexcept {
  if (backing_ == memory_backing::none) return;
  if (backing_ == memory_backing::poisoned) poison(address, bytes);
  host_resource::give_back(address, bytes);
}

/// Addresses are not used twice: there are more of them than a program can ask for.
void* device_memory::unbacked(std::size_t bytes, std::size_t alignment) noexcept {
  const std::size_t step = std::max<std::size_t>(alignment, 1);
  if (bytes > static_cast<std::size_t>(PTRDIFF_MAX) - step) return nullptr;
  const std::size_t taken = (std::max<std::size_t>(bytes, 1) + 2 * step - 1) / step * step;
  const std::uintptr_t begin = next_.fetch_add(taken);
  return reinterpret_cast<void*>((begin + step - 1) / step * step);
}

}  // namespace hocket::sim
