// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <vector>

#include <hocket/core/result.hpp>
#include <hocket/devices/driver_list.hpp>
#include <hocket/devices/vulkan.hpp>

#include "loader.hpp"

namespace hocket::vulkan {

/// Fills a list that Vulkan gives in two calls. One that is longer than was asked for is cut.
template <class Element, class Ask>
[[nodiscard]] VkResult list_all(std::vector<Element>& list, Ask ask) {
  return driver_list(list, VK_SUCCESS, [&](std::uint32_t* count, Element* to) {
    const VkResult code = ask(count, to);
    return code == VK_INCOMPLETE ? VK_SUCCESS : code;
  });
}

/// An instance of Vulkan. Each device gets one of its own: some drivers run the devices of one
/// instance one after the other.
class instance {
 public:
  /// A listener switches the validation layer on.
  [[nodiscard]] static result<std::unique_ptr<const instance>> make(
      vulkan_validation_listener listener);
  /// One that the program has made, and destroys.
  [[nodiscard]] static result<std::unique_ptr<const instance>> adopt(VkInstance given);
  ~instance();
  instance(const instance&) = delete;
  instance& operator=(const instance&) = delete;

  [[nodiscard]] const instance_api& api() const noexcept { return api_; }

  /// The instance is not destroyed any more; see device::leave_driver().
  void leave_driver() const noexcept { gone_ = true; }

  /// In the order of the loader.
  [[nodiscard]] result<std::vector<VkPhysicalDevice>> physical_devices() const;

 private:
  explicit instance(vulkan_validation_listener listener) : listener_(std::move(listener)) {}
  [[nodiscard]] VkResult create();

  vulkan_validation_listener listener_;
  instance_api api_;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  mutable std::atomic<bool> gone_{false};  // or the program's
};

}  // namespace hocket::vulkan
