// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>

#include <hocket/devices/driver_failure.hpp>

#include "loader.hpp"

namespace hocket::vulkan {

/// "VK_ERROR_DEVICE_LOST (-4)".
[[nodiscard]] std::string name_of(VkResult code);

/// What the API's code means, as a failure of the device. `what` is a clause without an end, such
/// as "cannot record a launch".
[[nodiscard]] failure failed(const std::string& device, const std::string& what, VkResult code);

/// The driver does not take the kernel: it refuses it, unless the code says of something else.
[[nodiscard]] failure refused(const std::string& device, const std::string& kernel, VkResult code);

}  // namespace hocket::vulkan
