// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>

#include <hocket/devices/backend.hpp>

#include "gpu/launch.hpp"

namespace hocket::gpu {

/// Starts a device of the driver. Programs are compiled for the architecture.
[[nodiscard]] result<std::unique_ptr<device>> connect_device(
    const device_info& info, const launch_limits& limits, const std::shared_ptr<driver>& of,
    device_number number, const std::string& architecture, const device_numbers& numbers,
    executor& where, completion_sink& sink);

}  // namespace hocket::gpu
