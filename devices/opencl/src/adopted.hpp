// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <vector>

#include <hocket/devices/adopted.hpp>

#include "handle.hpp"

namespace hocket::opencl {

/// A device that a context of the program has.
struct adopted_device {
  cl_context context = nullptr;
  cl_device_id device = nullptr;
};

/// The devices of the contexts of OpenCL in the list. Throws usage_error for one whose devices its
/// driver does not tell, and for a device that two of them have.
[[nodiscard]] std::vector<adopted_device> adopted_devices(const api& cl,
                                                          const adopted_contexts& adopted);

}  // namespace hocket::opencl
