// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "memory.hpp"

#include <cassert>

namespace hocket::cpu {

void* node_resource::obtain(std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes < least_bound) return host_resource::obtain(bytes, alignment);
  assert(alignment <= 4096 && "the topology gives whole pages");
  return topology_.allocate_on_node(node_, bytes).address;
}

void node_resource::give_back(void* address, std::size_t bytes) noexcept {
  if (bytes < least_bound) return host_resource::give_back(address, bytes);
  topology_.release({address, bytes, true, {}});
}

}  // namespace hocket::cpu
