// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <hocket/devices/launch_plan.hpp>
#include <hocket/devices/recording_store.hpp>

#include "clock.hpp"
#include "memory.hpp"
#include "program.hpp"

namespace hocket::vulkan {

using planned_part = launch_part<const program>;

using planned_launch = launch_plan<const program>;

/// Where one command is recorded, used again once it has ended.
struct slot {
  VkCommandBuffer commands = VK_NULL_HANDLE;
  command_buffers owner;
  owned_query_pool stamps;
  owned_descriptor_pool sets;
  std::uint32_t sets_room = 0;      // of the pool
  std::uint32_t bindings_room = 0;  // of the pool
  buffer arguments;
  // Objects that the command uses while it runs, and the launch that was recorded.
  std::vector<std::shared_ptr<const program>> uses;
  std::shared_ptr<const buffer> scratch;
  std::vector<std::shared_ptr<const void>> kept;  // by native bodies
  std::optional<recorded_launch> content;

  void forget() noexcept {
    content.reset();
    uses.clear();
    kept.clear();
    scratch.reset();
  }
};
[[nodiscard]] result<std::unique_ptr<slot>> make_slot(const context& of, bool stamped);

/// What the buffers of a launch are on the device.
class launch_memory {
 public:
  /// imports is null if the device has memory of its own. Bound in place of regions without
  /// elements: a small buffer.
  launch_memory(const context& of, const imported_buffers* imports) : of_(of), imports_(imports) {}

  [[nodiscard]] failure make_nothing();
  [[nodiscard]] VkBuffer nothing() const { return nothing_.handle.get(); }
  /// Null if it has still to be imported.
  [[nodiscard]] const buffer* find(const allocation& where) const;

 private:
  const context& of_;
  const imported_buffers* imports_;
  buffer nothing_;
};

/// Records the launches, which are complete; changes the words of their argument blocks. scratch is
/// null if none is needed.
[[nodiscard]] failure record(const context& of, const launch_memory& memory,
                             planned_launch& planned, std::shared_ptr<const buffer> scratch,
                             slot& to);

}  // namespace hocket::vulkan
