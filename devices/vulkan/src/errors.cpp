// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "errors.hpp"

#include <array>

namespace hocket::vulkan {

namespace {

#define HOCKET_VULKAN_CODE(code) \
  driver_code { code, #code }
constexpr std::array codes{
    HOCKET_VULKAN_CODE(VK_ERROR_OUT_OF_HOST_MEMORY),
    HOCKET_VULKAN_CODE(VK_ERROR_OUT_OF_DEVICE_MEMORY),
    HOCKET_VULKAN_CODE(VK_ERROR_INITIALIZATION_FAILED),
    HOCKET_VULKAN_CODE(VK_ERROR_DEVICE_LOST),
    HOCKET_VULKAN_CODE(VK_ERROR_MEMORY_MAP_FAILED),
    HOCKET_VULKAN_CODE(VK_ERROR_LAYER_NOT_PRESENT),
    HOCKET_VULKAN_CODE(VK_ERROR_EXTENSION_NOT_PRESENT),
    HOCKET_VULKAN_CODE(VK_ERROR_FEATURE_NOT_PRESENT),
    HOCKET_VULKAN_CODE(VK_ERROR_INCOMPATIBLE_DRIVER),
    HOCKET_VULKAN_CODE(VK_ERROR_TOO_MANY_OBJECTS),
    HOCKET_VULKAN_CODE(VK_ERROR_UNKNOWN),
    HOCKET_VULKAN_CODE(VK_ERROR_INVALID_EXTERNAL_HANDLE),
};
#undef HOCKET_VULKAN_CODE

failure_code meaning(VkResult code) {
  switch (code) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_TOO_MANY_OBJECTS:
    case VK_ERROR_MEMORY_MAP_FAILED:
      return failure_code::out_of_memory;
    case VK_ERROR_DEVICE_LOST:
      return failure_code::device_lost;
    default:
      return failure_code::internal;
  }
}

}  // namespace

std::string name_of(VkResult code) { return text_of(codes, code); }

failure failed(const std::string& device, const std::string& what, VkResult code) {
  return driver_failure(meaning(code), device, what, name_of(code));
}

failure refused(const std::string& device, const std::string& kernel, VkResult code) {
  if (meaning(code) != failure_code::internal) {
    return failed(device, "cannot compile kernel \"" + kernel + "\"", code);
  }
  return compile_failure(device, kernel, "its driver says " + name_of(code) + ".");
}

}  // namespace hocket::vulkan
