// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>

#include <hocket/devices/driver_failure.hpp>

#include "loader.hpp"

namespace hocket::opencl {

/// "CL_OUT_OF_RESOURCES (-5)".
[[nodiscard]] std::string name_of(cl_int code);

/// The failure that a code stands for: device_lost, out_of_memory, or task_failed. doing continues
/// "Device \"OpenCL0\" fails".
[[nodiscard]] failure failure_of(cl_int code, const std::string& device, const std::string& doing);

}  // namespace hocket::opencl
