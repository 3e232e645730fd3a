// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <string>

#include <hocket/devices/driver_failure.hpp>

#include "abi.hpp"

namespace hocket::cuda {

constexpr code success = 0;
constexpr code not_ready = 600;
constexpr code peer_access_already_enabled = 704;

/// "CUDA_ERROR_OUT_OF_MEMORY (2)".
[[nodiscard]] std::string name_of(code of);

/// The failure that a code stands for: device_lost where the context is of no use any more,
/// out_of_memory, or task_failed. doing continues "Device "CUDA0" fails".
[[nodiscard]] failure failure_of(code of, const std::string& device, const std::string& doing);

/// Why memory was not allocated, which was to be used "as scratch": device_lost, or out_of_memory.
[[nodiscard]] failure allocation_failure(code of, const std::string& device, std::size_t bytes,
                                         const std::string& purpose);

}  // namespace hocket::cuda
