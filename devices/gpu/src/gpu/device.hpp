// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>

#include <hocket/devices/backend.hpp>

#include "gpu/context.hpp"
#include "gpu/launch.hpp"

namespace hocket::gpu {

/// Starts a device of a driver.
[[nodiscard]] result<std::unique_ptr<device>> connect_device(
    const device_info& info, const launch_limits& limits, const context_place& at,
    const device_numbers& numbers, executor& where, completion_sink& sink);

}  // namespace hocket::gpu
