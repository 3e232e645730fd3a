// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "errors.hpp"

namespace hocket::vulkan {

std::string name_of(VkResult code) {
  switch (code) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
      return "VK_ERROR_OUT_OF_HOST_MEMORY";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
    case VK_ERROR_INITIALIZATION_FAILED:
      return "VK_ERROR_INITIALIZATION_FAILED";
    case VK_ERROR_DEVICE_LOST:
      return "VK_ERROR_DEVICE_LOST";
    case VK_ERROR_MEMORY_MAP_FAILED:
      return "VK_ERROR_MEMORY_MAP_FAILED";
    case VK_ERROR_LAYER_NOT_PRESENT:
      return "VK_ERROR_LAYER_NOT_PRESENT";
    case VK_ERROR_EXTENSION_NOT_PRESENT:
      return "VK_ERROR_EXTENSION_NOT_PRESENT";
    case VK_ERROR_FEATURE_NOT_PRESENT:
      return "VK_ERROR_FEATURE_NOT_PRESENT";
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      return "VK_ERROR_INCOMPATIBLE_DRIVER";
    case VK_ERROR_TOO_MANY_OBJECTS:
      return "VK_ERROR_TOO_MANY_OBJECTS";
    case VK_ERROR_UNKNOWN:
      return "VK_ERROR_UNKNOWN";
    case VK_ERROR_INVALID_EXTERNAL_HANDLE:
      return "VK_ERROR_INVALID_EXTERNAL_HANDLE";
    default:
      return "VkResult " + std::to_string(code);
  }
}

namespace {

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

failure failed(const std::string& device, const std::string& what, VkResult code) {
  return {meaning(code),
          "Device \"" + device + "\" " + what + ": its driver says " + name_of(code) + "."};
}

failure no_memory(const std::string& device, std::uint64_t bytes, const std::string& why) {
  return {failure_code::out_of_memory, "Device \"" + device + "\" has no memory for " +
                                           std::to_string(bytes) + " bytes: " + why};
}

failure refused(const std::string& device, const std::string& kernel, VkResult code) {
  if (meaning(code) != failure_code::internal) {
    return failed(device, "cannot compile kernel \"" + kernel + "\"", code);
  }
  return refused(device, kernel, "its driver says " + name_of(code) + ".");
}

failure refused(const std::string& device, const std::string& kernel, const std::string& log) {
  return {failure_code::compile_failed,
          "Kernel \"" + kernel + "\" does not compile for device \"" + device + "\": " + log};
}

}  // namespace hocket::vulkan
