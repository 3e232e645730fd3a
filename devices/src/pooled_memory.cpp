// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/pooled_memory.hpp>

#include <limits>

namespace hocket {

namespace {

constexpr std::size_t without_limit = std::numeric_limits<std::size_t>::max();

std::size_t limit_of(const device_info& info) {
  return info.memory_bytes == 0 ? without_limit : info.memory_bytes;
}

/// For the process's heap a small block is no more work than for a pool; a driver's block is a call
/// of the driver, and so is that of the heap which a driver imports.
pool_resource::options kept(bool any, bool from_heap) {
  constexpr std::size_t least_of_heap = std::size_t{64} << 10U;
  pool_resource::options made;
  if (from_heap) made.least_bytes = least_of_heap;
  if (!any) made.least_bytes = without_limit;
  return made;
}

}  // namespace

pooled_memory::pooled_memory(memory_resource& bottom, const device_info& info,
                             std::vector<device*> importing)
    : imported_(bottom, importing),
      limit_(imported_, device_title(info.name), limit_of(info)),
      pool_(limit_, kept(info.keeps_freed_blocks, info.shares_host_memory && importing.empty())) {}

}  // namespace hocket
