// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/devices/configuration.hpp>
#include <hocket/devices/sim.hpp>

namespace hocket::sim {

inline constexpr std::uint64_t max_devices = 4096;  ///< of one kind

/// Takes all keys that a device can have. Throws usage_error.
[[nodiscard]] sim_options read_device(configuration_reader&& reader);

}  // namespace hocket::sim
