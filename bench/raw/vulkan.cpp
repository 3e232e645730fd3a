// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// This file has the functions of volk itself.
#define VOLK_IMPLEMENTATION
#include "vulkan.hpp"

#include <shaderc/shaderc.h>

#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

namespace hocket::bench::raw {

namespace {

void check(VkResult code, const char* function) {
  if (code != VK_SUCCESS) {
    throw std::runtime_error(std::string(function) + " fails with " + std::to_string(code) + ".");
  }
}

VkInstance make_instance() {
  check(volkInitialize(), "volkInitialize");
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  VkInstance made = VK_NULL_HANDLE;
  check(vkCreateInstance(&info, nullptr, &made), "vkCreateInstance");
  // The functions of the loader work for every instance and device.
  volkLoadInstance(made);
  return made;
}

bool is_described(VkPhysicalDevice device, const std::string& description) {
  VkPhysicalDeviceDriverProperties driver{};
  driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
  VkPhysicalDeviceProperties2 all{};
  all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  all.pNext = &driver;
  vkGetPhysicalDeviceProperties2(device, &all);
  // A driver may say no more than its name.
  return description.starts_with(std::string(all.properties.deviceName) + ", " + driver.driverName);
}

std::vector<std::uint32_t> spirv_of(const std::string& text) {
  const std::unique_ptr<shaderc_compiler, decltype(&shaderc_compiler_release)> compiler(
      shaderc_compiler_initialize(), shaderc_compiler_release);
  const std::unique_ptr<shaderc_compile_options, decltype(&shaderc_compile_options_release)>
      options(shaderc_compile_options_initialize(), shaderc_compile_options_release);
  shaderc_compile_options_set_target_env(options.get(), shaderc_target_env_vulkan,
                                         shaderc_env_version_vulkan_1_2);
  shaderc_compile_options_set_optimization_level(options.get(),
                                                 shaderc_optimization_level_performance);
  const std::unique_ptr<shaderc_compilation_result, decltype(&shaderc_result_release)> made(
      shaderc_compile_into_spv(compiler.get(), text.data(), text.size(), shaderc_compute_shader,
                               "kernel", "main", options.get()),
      shaderc_result_release);
  if (shaderc_result_get_compilation_status(made.get()) != shaderc_compilation_status_success) {
    throw std::runtime_error(shaderc_result_get_error_message(made.get()));
  }
  std::vector<std::uint32_t> words(shaderc_result_get_length(made.get()) / sizeof(std::uint32_t));
  std::memcpy(words.data(), shaderc_result_get_bytes(made.get()), words.size() * sizeof words[0]);
  return words;
}

}  // namespace

vulkan::vulkan(const std::string& description) : instance_(make_instance()) {
  choose(description);
  connect();
}

vulkan::~vulkan() {
  if (device_ != nullptr) vkDeviceWaitIdle(device_.get());
}

void vulkan::choose(const std::string& description) {
  std::uint32_t count = 0;
  check(vkEnumeratePhysicalDevices(instance_.get(), &count, nullptr), "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> devices(count);
  check(vkEnumeratePhysicalDevices(instance_.get(), &count, devices.data()),
        "vkEnumeratePhysicalDevices");
  for (VkPhysicalDevice device : devices) {
    if (!is_described(device, description)) continue;
    std::uint32_t families = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(device, &families, nullptr);
    std::vector<VkQueueFamilyProperties> found(families);
    vkGetPhysicalDeviceQueueFamilyProperties(device, &families, found.data());
    for (std::uint32_t family = 0; family < families; ++family) {
      if ((found[family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) continue;
      physical_ = device;
      family_ = family;
      return;
    }
  }
  throw std::runtime_error("There is no Vulkan device \"" + description + "\".");
}

void vulkan::connect() {
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkPhysicalDeviceVulkan12Features features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  features.timelineSemaphore = VK_TRUE;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  VkDevice device = VK_NULL_HANDLE;
  check(vkCreateDevice(physical_, &info, nullptr, &device), "vkCreateDevice");
  device_.reset(device);
  vkGetDeviceQueue(device, family_, 0, &queue_);

  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo semaphore{};
  semaphore.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  semaphore.pNext = &type;
  VkSemaphore timeline = VK_NULL_HANDLE;
  check(vkCreateSemaphore(device, &semaphore, nullptr, &timeline), "vkCreateSemaphore");
  timeline_ = own(timeline, vkDestroySemaphore);

  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.queueFamilyIndex = family_;
  VkCommandPool commands = VK_NULL_HANDLE;
  check(vkCreateCommandPool(device, &pool, nullptr, &commands), "vkCreateCommandPool");
  commands_ = own(commands, vkDestroyCommandPool);

  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4096};
  VkDescriptorPoolCreateInfo sets{};
  sets.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  sets.maxSets = 1024;
  sets.poolSizeCount = 1;
  sets.pPoolSizes = &size;
  VkDescriptorPool arguments = VK_NULL_HANDLE;
  check(vkCreateDescriptorPool(device, &sets, nullptr, &arguments), "vkCreateDescriptorPool");
  arguments_ = own(arguments, vkDestroyDescriptorPool);
}

std::uint32_t vulkan::memory_type(std::uint32_t allowed) const {
  constexpr VkMemoryPropertyFlags wanted =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkPhysicalDeviceMemoryProperties has{};
  vkGetPhysicalDeviceMemoryProperties(physical_, &has);
  // For the same flags the faster types come first: that is a rule of Vulkan.
  for (std::uint32_t type = 0; type < has.memoryTypeCount; ++type) {
    const VkMemoryPropertyFlags flags = has.memoryTypes[type].propertyFlags;
    if ((allowed >> type & 1U) != 0 && (flags & wanted) == wanted) return type;
  }
  throw std::runtime_error("The Vulkan device has no memory that the host addresses.");
}

vulkan_buffer vulkan::zeros(std::size_t bytes) const {
  vulkan_buffer made;
  made.bytes = bytes;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkBuffer handle = VK_NULL_HANDLE;
  check(vkCreateBuffer(device_.get(), &info, nullptr, &handle), "vkCreateBuffer");
  made.handle = own(handle, vkDestroyBuffer);
  VkMemoryRequirements needs{};
  vkGetBufferMemoryRequirements(device_.get(), handle, &needs);
  VkMemoryAllocateInfo memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  memory.allocationSize = needs.size;
  memory.memoryTypeIndex = memory_type(needs.memoryTypeBits);
  VkDeviceMemory allocated = VK_NULL_HANDLE;
  check(vkAllocateMemory(device_.get(), &memory, nullptr, &allocated), "vkAllocateMemory");
  made.memory = own(allocated, vkFreeMemory);
  check(vkBindBufferMemory(device_.get(), handle, allocated, 0), "vkBindBufferMemory");
  check(vkMapMemory(device_.get(), allocated, 0, VK_WHOLE_SIZE, 0, &made.mapped), "vkMapMemory");
  std::memset(made.mapped, 0, bytes);
  return made;
}

vulkan_kernel vulkan::build(const std::string& text, std::uint32_t buffers,
                            std::uint32_t constant_bytes) const {
  vulkan_kernel made;
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (std::uint32_t i = 0; i < buffers; ++i) {
    bindings.push_back(
        {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  }
  VkDescriptorSetLayoutCreateInfo set{};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set.bindingCount = buffers;
  set.pBindings = bindings.data();
  VkDescriptorSetLayout arguments = VK_NULL_HANDLE;
  check(vkCreateDescriptorSetLayout(device_.get(), &set, nullptr, &arguments),
        "vkCreateDescriptorSetLayout");
  made.arguments = own(arguments, vkDestroyDescriptorSetLayout);

  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, constant_bytes};
  VkPipelineLayoutCreateInfo all{};
  all.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  all.setLayoutCount = 1;
  all.pSetLayouts = &arguments;
  all.pushConstantRangeCount = constant_bytes > 0 ? 1 : 0;
  all.pPushConstantRanges = &range;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  check(vkCreatePipelineLayout(device_.get(), &all, nullptr, &layout), "vkCreatePipelineLayout");
  made.layout = own(layout, vkDestroyPipelineLayout);

  const std::vector<std::uint32_t> words = spirv_of(text);
  VkShaderModuleCreateInfo code{};
  code.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  code.codeSize = words.size() * sizeof words[0];
  code.pCode = words.data();
  VkShaderModule shader = VK_NULL_HANDLE;
  check(vkCreateShaderModule(device_.get(), &code, nullptr, &shader), "vkCreateShaderModule");
  const auto owned_shader = own(shader, vkDestroyShaderModule);
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = shader;
  info.stage.pName = "main";
  info.layout = layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  check(vkCreateComputePipelines(device_.get(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
        "vkCreateComputePipelines");
  made.pipeline = own(pipeline, vkDestroyPipeline);
  return made;
}

VkCommandBuffer vulkan::begin() const {
  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = commands_.get();
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  VkCommandBuffer made = VK_NULL_HANDLE;
  check(vkAllocateCommandBuffers(device_.get(), &info, &made), "vkAllocateCommandBuffers");
  VkCommandBufferBeginInfo how{};
  how.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  how.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  check(vkBeginCommandBuffer(made, &how), "vkBeginCommandBuffer");
  return made;
}

void vulkan::end(VkCommandBuffer commands) {
  check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}

void vulkan::bind(VkCommandBuffer commands, const vulkan_kernel& kernel,
                  std::initializer_list<const vulkan_buffer*> buffers) const {
  const VkDescriptorSetLayout layout = kernel.arguments.get();
  VkDescriptorSetAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = arguments_.get();
  info.descriptorSetCount = 1;
  info.pSetLayouts = &layout;
  VkDescriptorSet set = VK_NULL_HANDLE;
  check(vkAllocateDescriptorSets(device_.get(), &info, &set), "vkAllocateDescriptorSets");
  std::uint32_t binding = 0;
  for (const vulkan_buffer* each : buffers) {
    const VkDescriptorBufferInfo where{each->handle.get(), 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write{};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = set;
    write.dstBinding = binding++;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &where;
    vkUpdateDescriptorSets(device_.get(), 1, &write, 0, nullptr);
  }
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline.get());
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.layout.get(), 0, 1, &set,
                          0, nullptr);
}

void vulkan::order(VkCommandBuffer commands) {
  VkMemoryBarrier all{};
  all.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  all.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  all.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all, 0, nullptr, 0, nullptr);
}

void vulkan::copy(VkCommandBuffer commands, const vulkan_buffer& from, const vulkan_buffer& to,
                  std::size_t bytes) {
  const VkBufferCopy all{0, 0, bytes};
  vkCmdCopyBuffer(commands, from.handle.get(), to.handle.get(), 1, &all);
}

std::uint64_t vulkan::submit(VkCommandBuffer commands) {
  const std::uint64_t value = submitted_ + 1;
  const VkSemaphore timeline = timeline_.get();
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.signalSemaphoreValueCount = 1;
  values.pSignalSemaphoreValues = &value;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &values;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &timeline;
  check(vkQueueSubmit(queue_, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
  submitted_ = value;
  return value;
}

void vulkan::wait(std::uint64_t value) const {
  const VkSemaphore timeline = timeline_.get();
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline;
  info.pValues = &value;
  check(vkWaitSemaphores(device_.get(), &info, std::numeric_limits<std::uint64_t>::max()),
        "vkWaitSemaphores");
}

}  // namespace hocket::bench::raw
