// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/devices/staged_copy_stream.hpp>

#include "context.hpp"

namespace hocket::vulkan {

/// What a stream of staged copies needs of the device: buffers, and the device's copies between
/// them and its memory.
[[nodiscard]] result<staged_copies> make_staging(context& of, copy_direction way);

}  // namespace hocket::vulkan
