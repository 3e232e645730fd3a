// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

namespace hocket {

/// A number that names one thing of one kind. Two kinds do not convert into one another, and a
/// default-constructed id names nothing.
template <class Tag>
struct strong_id {
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t value = none;

  [[nodiscard]] constexpr bool valid() const noexcept { return value != none; }
  friend constexpr auto operator<=>(strong_id, strong_id) noexcept = default;
};

using task_id = strong_id<struct task_tag>;
using data_id = strong_id<struct data_tag>;
using budget_id = strong_id<struct budget_tag>;
using block_id = strong_id<struct block_tag>;

/// Positions in the machine description of one runtime; dense from zero.
using device_id = strong_id<struct device_tag>;
using memory_id = strong_id<struct memory_tag>;
using stream_id = strong_id<struct stream_tag>;

}  // namespace hocket

template <class Tag>
struct std::hash<hocket::strong_id<Tag>> {
  std::size_t operator()(hocket::strong_id<Tag> id) const noexcept {
    return std::hash<std::uint64_t>{}(id.value);
  }
};
