// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>

#include <hocket/core/error.hpp>

#include "loader.hpp"

namespace hocket::opencl {

/// "CL_OUT_OF_RESOURCES (-5)".
[[nodiscard]] std::string name_of(cl_int code);

/// True for codes after which nothing can be expected of the device any more.
[[nodiscard]] bool means_loss(cl_int code) noexcept;

/// The failure that a code stands for: device_lost, out_of_memory, or task_failed. doing continues
/// "Device \"OpenCL0\" fails".
[[nodiscard]] failure failure_of(cl_int code, const std::string& device, const std::string& doing);

[[nodiscard]] failure no_memory(const std::string& device, std::size_t bytes,
                                const std::string& why);

/// log is what the compiler said; the failure has its first lines.
[[nodiscard]] failure compile_failure(const std::string& kernel, const std::string& device,
                                      cl_int code, const std::string& log);

}  // namespace hocket::opencl
