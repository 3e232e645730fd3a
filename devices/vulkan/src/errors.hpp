// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>

#include <hocket/core/error.hpp>

#include "loader.hpp"

namespace hocket::vulkan {

/// "VK_ERROR_DEVICE_LOST".
[[nodiscard]] std::string name_of(VkResult code);

/// What the API's code means, as a failure of the device. `what` is a clause without an end, such
/// as "cannot record a launch".
[[nodiscard]] failure failed(const std::string& device, const std::string& what, VkResult code);

/// The device has no memory for so many bytes.
[[nodiscard]] failure no_memory(const std::string& device, std::uint64_t bytes,
                                const std::string& why);

/// The compiler or the driver refuses the kernel's text.
[[nodiscard]] failure refused(const std::string& device, const std::string& kernel,
                              const std::string& log);

/// The driver does not take the kernel: it refuses it, unless the code says of something else.
[[nodiscard]] failure refused(const std::string& device, const std::string& kernel, VkResult code);

}  // namespace hocket::vulkan
