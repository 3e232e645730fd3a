// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>

#include <hocket/devices/backend.hpp>

#include "context.hpp"

namespace hocket::opencl {

/// Starts part number part of the root device.
[[nodiscard]] result<std::unique_ptr<device>> connect_device(
    const device_info& info, const std::shared_ptr<root_device>& root, std::size_t part,
    const device_numbers& numbers, executor& where, completion_sink& sink);

}  // namespace hocket::opencl
