// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <hocket/streams/command.hpp>

#include "clock.hpp"
#include "memory.hpp"
#include "program.hpp"

namespace hocket::vulkan {

/// One launch of those that a command stands for, in the terms of the device, as far as it was
/// worked out.
struct planned_part {
  const launch_command* what = nullptr;  ///< the command's, or one of split
  bool after_others = true;              ///< it may use what parts before it have used
  const kernel_source* source = nullptr;
  lowered_launch lowered;
  std::shared_ptr<const program> made;  ///< null until it was compiled
};

struct planned_launch {
  const command* of = nullptr;        ///< where the command was when it was planned
  std::uint64_t value = 0;            ///< of the command
  failure why;                        ///< that it cannot be made
  std::vector<launch_command> split;  ///< of a sequence
  std::vector<planned_part> parts;
  std::size_t scratch_words = 0;          ///< of the part that needs most
  std::shared_ptr<const buffer> scratch;  ///< null if none is needed, or until there is one
};

[[nodiscard]] planned_launch plan(const context& of, const command& what);

/// A launch as it was recorded, to know it again. Kernels that are gone are not kept alive.
struct recorded_launch {
  std::weak_ptr<const kernel_definition> kernel;
  placed_buffers buffers;
  scalar_arguments scalars;
  std::uint64_t releases = 0;  ///< of the device's buffers, before it was recorded

  [[nodiscard]] bool is(const launch_command& what, std::uint64_t releases_now) const {
    return releases == releases_now && !kernel.owner_before(what.kernel) &&
           !what.kernel.owner_before(kernel) && buffers == what.buffers && scalars == what.scalars;
  }
};

/// Where one command is recorded, used again once it has ended.
struct slot {
  VkCommandBuffer commands = VK_NULL_HANDLE;
  command_buffers owner;
  owned_query_pool stamps;
  owned_descriptor_pool sets;
  std::uint32_t sets_room = 0;      // of the pool
  std::uint32_t bindings_room = 0;  // of the pool
  buffer arguments;
  // What the command uses while it runs, and what was recorded.
  std::vector<std::shared_ptr<const program>> uses;
  std::shared_ptr<const buffer> scratch;
  std::optional<recorded_launch> content;

  void forget() noexcept {
    content.reset();
    uses.clear();
    scratch.reset();
  }
};
[[nodiscard]] result<std::unique_ptr<slot>> make_slot(const context& of, bool stamped);

/// What the buffers of a launch are on the device.
class launch_memory {
 public:
  /// imports is null if the device has memory of its own. Bound in place of regions without
  /// elements: a small buffer.
  launch_memory(const context& of, const import_table* imports) : of_(of), imports_(imports) {}

  [[nodiscard]] failure make_nothing();
  [[nodiscard]] VkBuffer nothing() const { return nothing_.handle.get(); }
  /// Null if it has still to be imported.
  [[nodiscard]] const buffer* find(const allocation& where) const;

 private:
  const context& of_;
  const import_table* imports_;
  buffer nothing_;
};

/// Records the launches, which are complete; changes the words of their argument blocks.
[[nodiscard]] failure record(const context& of, const launch_memory& memory,
                             planned_launch& planned, slot& to);

}  // namespace hocket::vulkan
