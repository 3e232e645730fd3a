// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <hocket/devices/backend.hpp>

namespace hocket {

/// The devices of the Vulkan drivers that are installed: `Vulkan0`, ..., GPUs before CPUs. None on
/// a virtual clock.
///
/// Its configuration is "device=0,memory=256M,import=yes,staging=no,validation=no", each part of
/// which may be absent. device picks one of them, by its number; memory is what tasks may use of
/// each device, if that is less than it has; import=no has devices that could use the host's memory
/// keep replicas of their own; staging=yes copies to and from a device through staging buffers also
/// where the host could address its memory; validation=yes switches on Vulkan's validation layer,
/// which must be installed, and prints what it says to stderr.
[[nodiscard]] std::unique_ptr<const backend> make_vulkan_backend();

/// Hears each message of the validation layer. Any thread.
using vulkan_validation_listener = std::function<void(const std::string& message)>;

/// The same, with validation=yes for all its devices, and the messages going to the listener.
[[nodiscard]] std::unique_ptr<const backend> make_vulkan_backend(
    vulkan_validation_listener listener);

}  // namespace hocket
