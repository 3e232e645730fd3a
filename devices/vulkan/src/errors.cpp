// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "errors.hpp"

#include <array>

namespace hocket::vulkan {

namespace {

#define HOCKET_VULKAN_CODE(code, meaning) \
  driver_code { code, #code, failure_code::meaning }
constexpr std::array codes{
    HOCKET_VULKAN_CODE(VK_ERROR_OUT_OF_HOST_MEMORY, out_of_memory),
    HOCKET_VULKAN_CODE(VK_ERROR_OUT_OF_DEVICE_MEMORY, out_of_memory),
    HOCKET_VULKAN_CODE(VK_ERROR_INITIALIZATION_FAILED, internal),
    HOCKET_VULKAN_CODE(VK_ERROR_DEVICE_LOST, device_lost),
    HOCKET_VULKAN_CODE(VK_ERROR_MEMORY_MAP_FAILED, out_of_memory),
    HOCKET_VULKAN_CODE(VK_ERROR_LAYER_NOT_PRESENT, internal),
    HOCKET_VULKAN_CODE(VK_ERROR_EXTENSION_NOT_PRESENT, internal),
    HOCKET_VULKAN_CODE(VK_ERROR_FEATURE_NOT_PRESENT, internal),
    HOCKET_VULKAN_CODE(VK_ERROR_INCOMPATIBLE_DRIVER, internal),
    HOCKET_VULKAN_CODE(VK_ERROR_TOO_MANY_OBJECTS, out_of_memory),
    HOCKET_VULKAN_CODE(VK_ERROR_FRAGMENTED_POOL, out_of_memory),
    HOCKET_VULKAN_CODE(VK_ERROR_OUT_OF_POOL_MEMORY, out_of_memory),
    HOCKET_VULKAN_CODE(VK_TIMEOUT, internal),
    HOCKET_VULKAN_CODE(VK_NOT_READY, internal),
    HOCKET_VULKAN_CODE(VK_ERROR_UNKNOWN, internal),
    HOCKET_VULKAN_CODE(VK_ERROR_INVALID_EXTERNAL_HANDLE, internal),
};
#undef HOCKET_VULKAN_CODE

failure_code meaning(VkResult code) { return meaning_of(codes, code, failure_code::internal); }

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
