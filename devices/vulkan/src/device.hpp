// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>

#include <hocket/devices/backend.hpp>

#include "facts.hpp"

namespace hocket::vulkan {

[[nodiscard]] result<std::unique_ptr<device>> connect_device(const found_device& found,
                                                             const device_numbers& numbers,
                                                             executor& where,
                                                             completion_sink& sink);

}  // namespace hocket::vulkan
