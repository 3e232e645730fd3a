// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>

#include <hocket/devices/device.hpp>

#include "launch.hpp"

namespace hocket::cuda {

/// A device as the driver lists it.
struct described {
  device_info info;  ///< without its name
  launch_limits limits;
  int architecture = 0;  ///< 10 * major + minor
};

/// "12.4" for 12040.
[[nodiscard]] std::string version_text(int version);

/// The name of the device, for people.
[[nodiscard]] std::string name_of(const api& driver, device_number device);

/// The properties of the device; version is that of the driver. Where the device cannot be used,
/// `why` says it, as the end of a sentence that begins with its name.
[[nodiscard]] described describe(const api& driver, device_number device,
                                 const std::string& version, std::string& why);

}  // namespace hocket::cuda
