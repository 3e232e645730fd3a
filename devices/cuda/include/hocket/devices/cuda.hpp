// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>

#include <hocket/devices/backend.hpp>

namespace hocket {

/// The devices of NVIDIA's driver: `CUDA0`, ... in the order in which the driver lists them, which
/// CUDA_VISIBLE_DEVICES changes. None on a virtual clock. They wait for one another on the device.
///
/// Its configuration is "memory=256M,driver=/a/libcuda.so.1,nvrtc=/a/libnvrtc.so.12", each part of
/// which may be absent. memory is what tasks may use of each device, if that is less than it has;
/// driver and nvrtc are the libraries to open instead of those that are installed.
[[nodiscard]] std::unique_ptr<const backend> make_cuda_backend();

}  // namespace hocket
