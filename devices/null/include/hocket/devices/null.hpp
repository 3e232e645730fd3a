// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>

#include <hocket/devices/backend.hpp>

namespace hocket {

/// The smallest backend that keeps the contract of devices: a driver that is one thread, memory
/// that is the host's, kernels that are their bodies in C++. To begin a new backend from. None on a
/// virtual clock.
///
/// Its configuration is "devices=1,memory=256M": without it there are none.
[[nodiscard]] std::unique_ptr<const backend> make_null_backend();

}  // namespace hocket
