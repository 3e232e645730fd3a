// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>

#include <hocket/devices/backend.hpp>

namespace hocket {

/// The devices of AMD's HIP: `HIP0`, ... in the order in which it lists them, which
/// HIP_VISIBLE_DEVICES changes. None on a virtual clock. They wait for one another on the device.
///
/// Its configuration is "memory=256M,driver=/a/libamdhip64.so.6,hiprtc=/a/libhiprtc.so.6", each
/// part of which may be absent. memory is what tasks may use of each device, if that is less than
/// it has; driver and hiprtc are the libraries to open instead of those that are installed.
[[nodiscard]] std::unique_ptr<const backend> make_hip_backend();

}  // namespace hocket
