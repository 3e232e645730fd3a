// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/devices/configuration.hpp>
#include <hocket/devices/sim.hpp>

namespace hocket::sim {

inline constexpr std::uint64_t max_devices = 4096;           ///< of one kind
inline constexpr std::uint64_t max_devices_in_all = 16'384;  ///< of a machine

/// Takes all keys that a device can have. Throws usage_error.
[[nodiscard]] sim_options read_device(configuration_reader&& reader);

/// Adds so many of the same devices. Throws usage_error, which names the source of the machine, if
/// it has too many then.
void add_devices(sim_machine& to, const sim_options& each, std::size_t count,
                 const std::string& source);

}  // namespace hocket::sim
