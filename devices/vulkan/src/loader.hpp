// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <atomic>

#include <hocket/core/result.hpp>
#include <hocket/devices/driver_handle.hpp>

namespace hocket::vulkan {

// Each table has the functions that the backend uses. Tables belong to an instance or a device, so
// that calls go straight to its driver and nothing is global.

#define HOCKET_VULKAN_LIBRARY_FUNCTIONS(X)  \
  X(vkCreateInstance)                       \
  X(vkEnumerateInstanceExtensionProperties) \
  X(vkEnumerateInstanceLayerProperties)     \
  X(vkEnumerateInstanceVersion)

#define HOCKET_VULKAN_INSTANCE_FUNCTIONS(X) \
  X(vkCreateDevice)                         \
  X(vkDestroyInstance)                      \
  X(vkEnumerateDeviceExtensionProperties)   \
  X(vkEnumeratePhysicalDevices)             \
  X(vkGetDeviceProcAddr)                    \
  X(vkGetPhysicalDeviceFeatures2)           \
  X(vkGetPhysicalDeviceMemoryProperties)    \
  X(vkGetPhysicalDeviceProperties)          \
  X(vkGetPhysicalDeviceProperties2)         \
  X(vkGetPhysicalDeviceQueueFamilyProperties)

#define HOCKET_VULKAN_DEVICE_FUNCTIONS(X) \
  X(vkAllocateCommandBuffers)             \
  X(vkAllocateDescriptorSets)             \
  X(vkAllocateMemory)                     \
  X(vkBeginCommandBuffer)                 \
  X(vkBindBufferMemory)                   \
  X(vkCmdBindDescriptorSets)              \
  X(vkCmdBindPipeline)                    \
  X(vkCmdCopyBuffer)                      \
  X(vkCmdDispatchBase)                    \
  X(vkCmdPipelineBarrier)                 \
  X(vkCmdPushConstants)                   \
  X(vkCmdResetQueryPool)                  \
  X(vkCmdWriteTimestamp)                  \
  X(vkCreateBuffer)                       \
  X(vkCreateCommandPool)                  \
  X(vkCreateComputePipelines)             \
  X(vkCreateDescriptorPool)               \
  X(vkCreateDescriptorSetLayout)          \
  X(vkCreatePipelineLayout)               \
  X(vkCreateQueryPool)                    \
  X(vkCreateSemaphore)                    \
  X(vkCreateShaderModule)                 \
  X(vkDestroyBuffer)                      \
  X(vkDestroyCommandPool)                 \
  X(vkDestroyDescriptorPool)              \
  X(vkDestroyDescriptorSetLayout)         \
  X(vkDestroyDevice)                      \
  X(vkDestroyPipeline)                    \
  X(vkDestroyPipelineLayout)              \
  X(vkDestroyQueryPool)                   \
  X(vkDestroySemaphore)                   \
  X(vkDestroyShaderModule)                \
  X(vkDeviceWaitIdle)                     \
  X(vkEndCommandBuffer)                   \
  X(vkFreeMemory)                         \
  X(vkGetBufferMemoryRequirements)        \
  X(vkGetDeviceQueue)                     \
  X(vkGetQueryPoolResults)                \
  X(vkGetSemaphoreCounterValue)           \
  X(vkMapMemory)                          \
  X(vkQueueSubmit)                        \
  X(vkQueueWaitIdle)                      \
  X(vkResetDescriptorPool)                \
  X(vkUpdateDescriptorSets)               \
  X(vkWaitSemaphores)

#define HOCKET_VULKAN_MEMBER(name) PFN_##name name = nullptr;

/// The functions of the loader, libvulkan.so.1, and those of an instance that was made with them.
struct instance_api {
  HOCKET_VULKAN_MEMBER(vkGetInstanceProcAddr)
  HOCKET_VULKAN_LIBRARY_FUNCTIONS(HOCKET_VULKAN_MEMBER)

  VkInstance instance = VK_NULL_HANDLE;
  HOCKET_VULKAN_INSTANCE_FUNCTIONS(HOCKET_VULKAN_MEMBER)
  HOCKET_VULKAN_MEMBER(vkCreateDebugUtilsMessengerEXT)
  HOCKET_VULKAN_MEMBER(vkDestroyDebugUtilsMessengerEXT)
};

/// Opens the loader at run time. Fails with no_device where there is none, or one that does not
/// know Vulkan 1.1.
[[nodiscard]] failure open_library(instance_api& to);

/// False if the driver lacks one of the functions; those of an extension may be null.
[[nodiscard]] bool load(VkInstance instance, instance_api& to);

struct device_api {
  VkDevice device = VK_NULL_HANDLE;
  std::atomic<bool> gone{false};  ///< with its driver: there is nothing to destroy any more
  HOCKET_VULKAN_DEVICE_FUNCTIONS(HOCKET_VULKAN_MEMBER)
  HOCKET_VULKAN_MEMBER(vkGetMemoryHostPointerPropertiesEXT)
};

/// False if the driver lacks one of the functions; that of an extension may be null.
[[nodiscard]] bool load(const instance_api& from, VkDevice device, device_api& to);

#undef HOCKET_VULKAN_MEMBER

/// A structure of the API that is empty, but for its type and the structures that it goes on in.
template <class Structure>
[[nodiscard]] Structure structure(VkStructureType type, void* next = nullptr) {
  Structure made{};
  made.sType = type;
  made.pNext = next;
  return made;
}

template <class Handle, auto Destroy>
void destroy(const device_api& api, Handle handle) {
  (api.*Destroy)(api.device, handle, nullptr);
}

/// An object of a device that is destroyed with its owner.
template <class Handle, auto Destroy>
using owned = driver_handle<device_api, Handle, destroy<Handle, Destroy>>;

using owned_buffer = owned<VkBuffer, &device_api::vkDestroyBuffer>;
using owned_memory = owned<VkDeviceMemory, &device_api::vkFreeMemory>;
using owned_semaphore = owned<VkSemaphore, &device_api::vkDestroySemaphore>;
using owned_command_pool = owned<VkCommandPool, &device_api::vkDestroyCommandPool>;
using owned_descriptor_pool = owned<VkDescriptorPool, &device_api::vkDestroyDescriptorPool>;
using owned_query_pool = owned<VkQueryPool, &device_api::vkDestroyQueryPool>;
using owned_shader = owned<VkShaderModule, &device_api::vkDestroyShaderModule>;
using owned_set_layout = owned<VkDescriptorSetLayout, &device_api::vkDestroyDescriptorSetLayout>;
using owned_pipeline_layout = owned<VkPipelineLayout, &device_api::vkDestroyPipelineLayout>;
using owned_pipeline = owned<VkPipeline, &device_api::vkDestroyPipeline>;

/// Makes an object of a device, which its owner destroys.
template <class Function, class Info, class Owner>
[[nodiscard]] VkResult create(const device_api& api, Function device_api::*function,
                              const Info& info, Owner& to) {
  typename Owner::object_type made = VK_NULL_HANDLE;
  const VkResult code = (api.*function)(api.device, &info, nullptr, &made);
  if (code == VK_SUCCESS) to = Owner(api, made);
  return code;
}

}  // namespace hocket::vulkan
