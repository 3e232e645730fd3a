// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <volk.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace hocket::bench::raw {

/// Destroys an object of a device.
template <class Handle>
struct vulkan_destroyer {
  VkDevice device = VK_NULL_HANDLE;
  void (*destroy)(VkDevice, Handle, const VkAllocationCallbacks*) = nullptr;
  void operator()(Handle handle) const noexcept { destroy(device, handle, nullptr); }
};
template <class Handle>
using vulkan_owned = std::unique_ptr<std::remove_pointer_t<Handle>, vulkan_destroyer<Handle>>;

struct vulkan_instance_destroyer {
  void operator()(VkInstance handle) const noexcept { vkDestroyInstance(handle, nullptr); }
};
struct vulkan_device_destroyer {
  void operator()(VkDevice handle) const noexcept { vkDestroyDevice(handle, nullptr); }
};

/// A buffer with memory of its own, which the host addresses.
struct vulkan_buffer {
  vulkan_owned<VkDeviceMemory> memory;
  vulkan_owned<VkBuffer> handle;  // goes before its memory
  VkDeviceSize bytes = 0;
  void* mapped = nullptr;
};

/// A kernel that takes storage buffers, from binding 0 on, and push constants.
struct vulkan_kernel {
  vulkan_owned<VkDescriptorSetLayout> arguments;
  vulkan_owned<VkPipelineLayout> layout;
  vulkan_owned<VkPipeline> pipeline;
};

/// What a program that uses Vulkan by hand has: a device, a queue, a timeline that says how far the
/// queue is, and a pool for commands. One thread at a time.
class vulkan {
 public:
  /// The device that is described as in device_info::description. Throws if there is none.
  explicit vulkan(const std::string& description);
  ~vulkan();
  vulkan(const vulkan&) = delete;
  vulkan& operator=(const vulkan&) = delete;

  [[nodiscard]] vulkan_buffer zeros(std::size_t bytes) const;

  /// Compiles GLSL, its entry is main. Throws with what the compiler says.
  [[nodiscard]] vulkan_kernel build(const std::string& text, std::uint32_t buffers,
                                    std::uint32_t constant_bytes) const;

  /// Commands that may be submitted many times and live as long as this.
  [[nodiscard]] VkCommandBuffer begin() const;
  static void end(VkCommandBuffer commands);

  /// Records the kernel with its arguments for the dispatches that follow.
  void bind(VkCommandBuffer commands, const vulkan_kernel& kernel,
            std::initializer_list<const vulkan_buffer*> buffers) const;
  template <class Constants>
  static void push(VkCommandBuffer commands, const vulkan_kernel& kernel,
                   const Constants& constants) {
    vkCmdPushConstants(commands, kernel.layout.get(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       sizeof constants, &constants);
  }
  /// What comes after sees what the commands before wrote.
  static void order(VkCommandBuffer commands);
  static void copy(VkCommandBuffer commands, const vulkan_buffer& from, const vulkan_buffer& to,
                   std::size_t bytes);

  /// Returns what the timeline reaches with the end of these commands.
  std::uint64_t submit(VkCommandBuffer commands);
  void wait(std::uint64_t value) const;
  /// For everything that was submitted.
  void wait() const { wait(submitted_); }

 private:
  void choose(const std::string& description);
  void connect();
  [[nodiscard]] std::uint32_t memory_type(std::uint32_t allowed) const;

  template <class Handle>
  [[nodiscard]] vulkan_owned<Handle> own(Handle handle,
                                         void (*destroy)(VkDevice, Handle,
                                                         const VkAllocationCallbacks*)) const {
    return {handle, {device_.get(), destroy}};
  }

  std::unique_ptr<std::remove_pointer_t<VkInstance>, vulkan_instance_destroyer> instance_;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  std::uint32_t family_ = 0;
  std::unique_ptr<std::remove_pointer_t<VkDevice>, vulkan_device_destroyer> device_;
  VkQueue queue_ = VK_NULL_HANDLE;
  vulkan_owned<VkSemaphore> timeline_;
  vulkan_owned<VkCommandPool> commands_;
  vulkan_owned<VkDescriptorPool> arguments_;
  std::uint64_t submitted_ = 0;
};

}  // namespace hocket::bench::raw
