// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>

#include <hocket/devices/device.hpp>

namespace hocket {

/// About three years. Longer times are cut to this, so that some tens of them can be added.
inline constexpr nanoseconds longest_time{100'000'000'000'000'000};

/// The number of nanoseconds, which is not negative, rounded and cut to longest_time. A value that
/// is no number is longest_time as well.
[[nodiscard]] inline nanoseconds limited_time(double count) noexcept {
  constexpr auto most = static_cast<double>(longest_time.count());
  return count < most ? nanoseconds(static_cast<std::int64_t>(count + 0.5)) : longest_time;
}

/// First guesses of a device's rates by its style, for a driver that does not say more of it.
void guess_rates(device_info& info);

/// How long an amount takes at so much each second, which is above zero; at most longest_time.
[[nodiscard]] nanoseconds time_for(double amount, double per_second);

/// How long a kernel takes by the numbers of the device: the longer of computing and moving its
/// bytes, and the latency. A wide body has all lanes. Without a name it is none with a rate of its
/// own.
[[nodiscard]] nanoseconds predicted_launch(const device_info& info, const launch_work& cost,
                                           body_width width, std::string_view kernel = {});

/// How long a copy between the host and the device takes by the numbers of the device.
[[nodiscard]] nanoseconds predicted_copy(const device_info& info, std::uint64_t bytes);
/// How long a copy from another device takes by the numbers of the device that receives it.
[[nodiscard]] nanoseconds predicted_peer_copy(const device_info& info, std::uint64_t bytes);

/// One of the two, as the command says; nothing for one that fails at once. On a virtual clock this
/// is the truth for `cpu` and `sim`.
[[nodiscard]] nanoseconds predicted(const device_info& info, const command& what);

}  // namespace hocket
