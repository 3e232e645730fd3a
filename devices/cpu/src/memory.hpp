// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/devices/host_memory.hpp>
#include <hocket/execution/topology.hpp>

namespace hocket::cpu {

/// The memory of one NUMA node. Large pieces are bound to the node; small ones, which share pages
/// with one another, lie where they are first touched.
class node_resource final : public host_memory {
 public:
  /// The topology outlives the resource.
  node_resource(const host_topology& topology, std::size_t node, std::string device)
      : host_memory(std::move(device)), topology_(topology), node_(node) {}

 protected:
  [[nodiscard]] void* obtain(std::size_t bytes, std::size_t alignment) noexcept override;
  void give_back(void* address, std::size_t bytes) noexcept override;

 private:
  static constexpr std::size_t least_bound = std::size_t{64} << 10U;

  const host_topology& topology_;
  std::size_t node_;
};

}  // namespace hocket::cpu
