// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "loader.hpp"

#include <hocket/devices/driver_library.hpp>

namespace hocket::vulkan {

namespace {

template <class Get>
bool load_one(Get get, const char* name, auto& into) {
  into = reinterpret_cast<std::remove_reference_t<decltype(into)>>(get(name));
  return into != nullptr;
}

}  // namespace

#define HOCKET_VULKAN_LOAD(name) complete = load_one(get, #name, to.name) && complete;

failure open_library(instance_api& to) {
  const auto opened = driver_library::open(
      {"Vulkan", "libvulkan.so.1", "libvulkan1, and drivers in mesa-vulkan-drivers"});
  if (!opened) return opened.error();
  const driver_library& file = opened.value();
  to.vkGetInstanceProcAddr = file.find<PFN_vkGetInstanceProcAddr>("vkGetInstanceProcAddr");
  if (to.vkGetInstanceProcAddr == nullptr) return file.unusable("lacks vkGetInstanceProcAddr");
  const auto get = [&](const char* name) { return to.vkGetInstanceProcAddr(nullptr, name); };
  bool complete = true;
  HOCKET_VULKAN_LIBRARY_FUNCTIONS(HOCKET_VULKAN_LOAD)
  return complete ? failure() : file.unusable("knows no Vulkan 1.1");
}

bool load(VkInstance instance, instance_api& to) {
  to.instance = instance;
  const auto get = [&](const char* name) { return to.vkGetInstanceProcAddr(instance, name); };
  bool complete = true;
  HOCKET_VULKAN_INSTANCE_FUNCTIONS(HOCKET_VULKAN_LOAD)
  load_one(get, "vkCreateDebugUtilsMessengerEXT", to.vkCreateDebugUtilsMessengerEXT);
  load_one(get, "vkDestroyDebugUtilsMessengerEXT", to.vkDestroyDebugUtilsMessengerEXT);
  return complete;
}

bool load(const instance_api& from, VkDevice device, device_api& to) {
  to.device = device;
  const auto get = [&](const char* name) { return from.vkGetDeviceProcAddr(device, name); };
  bool complete = true;
  HOCKET_VULKAN_DEVICE_FUNCTIONS(HOCKET_VULKAN_LOAD)
  load_one(get, "vkGetMemoryHostPointerPropertiesEXT", to.vkGetMemoryHostPointerPropertiesEXT);
  return complete;
}

#undef HOCKET_VULKAN_LOAD

}  // namespace hocket::vulkan
