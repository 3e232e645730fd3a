// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/execution/topology.hpp>
#include <hocket/memory/host_resource.hpp>

namespace hocket::cpu {

/// The memory of one NUMA node. Large pieces are bound to the node; small ones, which share pages
/// with one another, lie where they are first touched.
class node_resource final : public host_resource {
 public:
  /// The topology outlives the resource.
  node_resource(const host_topology& topology, std::size_t node, std::string owner)
      : host_resource(std::move(owner)), topology_(topology), node_(node) {}

 protected:
  [[nodiscard]] void* obtain(std::size_t bytes, std::size_t alignment) noexcept override;
  void give_back(void* address, std::size_t bytes) noexcept override;

 private:
  static constexpr std::size_t least_bound = std::size_t{64} << 10U;

  const host_topology& topology_;
  std::size_t node_;
};

}  // namespace hocket::cpu
