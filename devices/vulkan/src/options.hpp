// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <optional>
#include <string_view>

#include <hocket/devices/vulkan.hpp>

namespace hocket::vulkan {

/// The configuration of the backend, see make_vulkan_backend().
struct options {
  std::optional<std::uint64_t> device;
  std::optional<std::uint64_t> memory_bytes;
  bool import = true;
  bool staging = false;
  bool gpu_texts = false;               ///< kernels are those for GPUs
  vulkan_validation_listener listener;  ///< set: the validation layer is on
};

/// Throws usage_error. The listener, if there is one, hears the validation layer in any case.
[[nodiscard]] options parse_options(std::string_view configuration,
                                    vulkan_validation_listener listener);

}  // namespace hocket::vulkan
