// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <optional>

#include <hocket/execution/executor.hpp>

#include "context.hpp"

namespace hocket::vulkan {

/// Turns the device's time stamps into times of an executor.
class clock {
 public:
  /// Nothing where the device has no time stamps, or such as do not run like the host's clock.
  [[nodiscard]] static std::optional<clock> measure(context& of, const executor& where);

  [[nodiscard]] time_stamp at(std::uint64_t ticks) const;

 private:
  std::uint64_t mask_ = 0;
  double period_ = 1;  // nanoseconds of a tick
  std::uint64_t ticks_ = 0;
  time_stamp time_{};  // at that tick
};

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
