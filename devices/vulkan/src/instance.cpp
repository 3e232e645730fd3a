// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "instance.hpp"

#include <hocket/core/environment.hpp>

#include "errors.hpp"

namespace hocket::vulkan {

namespace {

VKAPI_ATTR VkBool32 VKAPI_CALL hear(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                    VkDebugUtilsMessageTypeFlagsEXT,
                                    const VkDebugUtilsMessengerCallbackDataEXT* data,
                                    void* listener) {
  (*static_cast<const vulkan_validation_listener*>(listener))(data->pMessage);
  return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT messenger_info(vulkan_validation_listener& listener) {
  auto info = structure<VkDebugUtilsMessengerCreateInfoEXT>(
      VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
  info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  info.pfnUserCallback = hear;
  info.pUserData = &listener;
  return info;
}

/// Where the loader was told to look for files that name drivers.
std::string searched() {
  for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
    if (const auto given = environment_variable(name)) {
      return std::string(" in the files \"") + *given + "\", which " + name + " names";
    }
  }
  return "";
}

/// The instance that is never destroyed, if there is one yet.
std::atomic<VkInstance> kept{VK_NULL_HANDLE};

/// The loader closes drivers with the last instance. NVIDIA's (580.159) could not be opened again
/// after it had been closed some six times behind a device.
bool keeps_drivers_open(VkInstance made) {
  VkInstance none = VK_NULL_HANDLE;
  return kept.compare_exchange_strong(none, made);
}

}  // namespace

result<std::unique_ptr<const instance>> instance::make(vulkan_validation_listener listener) {
  const bool validated = static_cast<bool>(listener);
  std::unique_ptr<instance> made(new instance(std::move(listener)));
  if (failure why = open_library(made->api_)) return why;
  const VkResult code = made->create();
  if (code == VK_SUCCESS) return std::unique_ptr<const instance>(std::move(made));
  if (code == VK_ERROR_LAYER_NOT_PRESENT && validated) {
    return failure(failure_code::no_device,
                   "The configuration of vulkan has validation=yes, and the layer "
                   "VK_LAYER_KHRONOS_validation is not there; Debian has it in the package "
                   "vulkan-validationlayers.");
  }
  if (code == VK_ERROR_INCOMPATIBLE_DRIVER) {
    return failure(failure_code::no_device,
                   "The loader of Vulkan is there, and finds no driver that it can open" +
                       searched() +
                       "; mesa-vulkan-drivers of Debian has drivers for GPUs and one for the CPU.");
  }
  return failure(failure_code::internal,
                 "Vulkan is left out: asked to begin, its drivers say " + name_of(code) + ".");
}

result<std::unique_ptr<const instance>> instance::adopt(VkInstance given) {
  std::unique_ptr<instance> made(new instance({}));
  if (failure why = open_library(made->api_)) return why;
  made->gone_ = true;
  if (given != VK_NULL_HANDLE && load(given, made->api_)) {
    return std::unique_ptr<const instance>(std::move(made));
  }
  return failure(failure_code::no_device, "The instance lacks functions of Vulkan 1.2.");
}

VkResult instance::create() {
  auto application = structure<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  application.pApplicationName = "hocket";
  application.apiVersion = VK_API_VERSION_1_2;
  const char* const layer = "VK_LAYER_KHRONOS_validation";
  const char* const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
                                    VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME};
  const VkValidationFeatureEnableEXT more =
      VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info(listener_);
  auto features =
      structure<VkValidationFeaturesEXT>(VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT, &messenger);
  features.enabledValidationFeatureCount = 1;
  features.pEnabledValidationFeatures = &more;
  auto info = structure<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pApplicationInfo = &application;
  if (listener_) {
    info.pNext = &features;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &layer;
    info.enabledExtensionCount = std::size(extensions);
    info.ppEnabledExtensionNames = extensions;
  }
  VkInstance made = VK_NULL_HANDLE;
  const VkResult code = api_.vkCreateInstance(&info, nullptr, &made);
  if (code != VK_SUCCESS) return code;
  if (!load(made, api_)) return VK_ERROR_INITIALIZATION_FAILED;
  if (!listener_) return VK_SUCCESS;
  if (api_.vkCreateDebugUtilsMessengerEXT == nullptr) return VK_ERROR_EXTENSION_NOT_PRESENT;
  return api_.vkCreateDebugUtilsMessengerEXT(made, &messenger, nullptr, &messenger_);
}

instance::~instance() {
  if (gone_ || api_.instance == VK_NULL_HANDLE) return;
  if (messenger_ != VK_NULL_HANDLE && api_.vkDestroyDebugUtilsMessengerEXT != nullptr) {
    api_.vkDestroyDebugUtilsMessengerEXT(api_.instance, messenger_, nullptr);
  }
  if (keeps_drivers_open(api_.instance)) return;
  if (api_.vkDestroyInstance != nullptr) api_.vkDestroyInstance(api_.instance, nullptr);
}

result<std::vector<VkPhysicalDevice>> instance::physical_devices() const {
  std::vector<VkPhysicalDevice> found;
  const VkResult code = list_all(found, [&](std::uint32_t* count, VkPhysicalDevice* to) {
    return api_.vkEnumeratePhysicalDevices(api_.instance, count, to);
  });
  // The loader says so where drivers are there, and none of them has a device.
  if (code == VK_SUCCESS || code == VK_ERROR_INITIALIZATION_FAILED) return found;
  return failure(
      failure_code::internal,
      "Vulkan is left out: asked for their devices, its drivers say " + name_of(code) + ".");
}

}  // namespace hocket::vulkan
