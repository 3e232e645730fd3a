// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <string>

#include <hocket/devices/driver_failure.hpp>

#include "gpu/api.hpp"

namespace hocket::gpu {

/// The failure that a code stands for: device_lost where the context is of no use any more,
/// out_of_memory, or task_failed. doing continues "Device "CUDA0" fails".
[[nodiscard]] failure failure_of(const api& driver, code of, const std::string& device,
                                 const std::string& doing);

/// Why memory was not allocated, which was to be used "as scratch": device_lost, or out_of_memory.
[[nodiscard]] failure allocation_failure(const api& driver, code of, const std::string& device,
                                         std::size_t bytes, const std::string& purpose);

}  // namespace hocket::gpu
