// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <vector>

#include <hocket/core/result.hpp>
#include <hocket/devices/vulkan.hpp>

#include "loader.hpp"

namespace hocket::vulkan {

/// An instance of Vulkan. Each device gets one of its own: some drivers run the devices of one
/// instance one after the other.
class instance {
 public:
  /// A listener switches the validation layer on.
  [[nodiscard]] static result<std::unique_ptr<const instance>> make(
      vulkan_validation_listener listener);
  ~instance();
  instance(const instance&) = delete;
  instance& operator=(const instance&) = delete;

  [[nodiscard]] const instance_api& api() const noexcept { return api_; }

  /// In the order of the loader.
  [[nodiscard]] std::vector<VkPhysicalDevice> physical_devices() const;

 private:
  explicit instance(vulkan_validation_listener listener) : listener_(std::move(listener)) {}
  [[nodiscard]] VkResult create();

  vulkan_validation_listener listener_;
  std::unique_ptr<const library> library_;
  instance_api api_;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
};

}  // namespace hocket::vulkan
