// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <optional>

#include <hocket/devices/tick_clock.hpp>
#include <hocket/execution/executor.hpp>

#include "context.hpp"

namespace hocket::vulkan {

/// The clock of the device's time stamps. Nothing where it has none, or such as do not run like the
/// host's clock.
[[nodiscard]] std::optional<tick_clock> measure_clock(context& of, const executor& where);

/// Two queries of time stamps.
[[nodiscard]] owned_query_pool make_stamps(const context& of);
void write_stamp(const context& of, VkCommandBuffer commands, const owned_query_pool& pool,
                 std::uint32_t which);
struct stamps {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};
/// Nothing where they are not to be had.
[[nodiscard]] std::optional<stamps> read_stamps(const context& of, const owned_query_pool& pool);

}  // namespace hocket::vulkan
