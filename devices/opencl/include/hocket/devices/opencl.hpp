// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>

#include <hocket/devices/backend.hpp>

namespace hocket {

/// The devices of the OpenCL drivers that are installed: `OpenCL0`, ... in the order in which the
/// drivers list them. None on a virtual clock.
///
/// Its configuration is "sub-devices=2,memory=256M,import=yes", each part of which may be absent.
/// sub-devices splits each CPU that its driver can split into so many equal parts, `OpenCL0.0`,
/// `OpenCL0.1`, ...; memory is what tasks may use of each device, if that is less than it has;
/// import=no has devices that could use the host's memory keep replicas of their own.
[[nodiscard]] std::unique_ptr<const backend> make_opencl_backend();

}  // namespace hocket
