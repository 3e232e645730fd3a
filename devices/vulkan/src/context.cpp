// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "context.hpp"

#include <algorithm>
#include <limits>

#include "errors.hpp"

namespace hocket::vulkan {

namespace {

/// What the device wrote is seen by the stages that follow. A family for transfers alone knows no
/// stages but these.
void order(const context& of, VkCommandBuffer commands, VkPipelineStageFlags then,
           VkAccessFlags access) {
  auto all = structure<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  all.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  all.dstAccessMask = access;
  of.api().vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, then, 0, 1, &all, 0,
                                nullptr, 0, nullptr);
}

}  // namespace

result<std::unique_ptr<context>> context::make(const found_device& found) {
  std::unique_ptr<context> made(new context());
  made->adopted_ = found.adopted;
  auto own = found.adopted ? instance::adopt(static_cast<VkInstance>(found.adopted->instance))
                           : instance::make(found.given.listener);
  if (!own) return own.error();
  made->instance_ = std::move(own).value();
  made->info_ = describe(found.about, found.number, found.given);
  made->facts_ = found.about;
  if (!found.adopted) {
    const std::vector<facts> all = usable_devices(*made->instance_);
    if (found.number >= all.size() || !same(all[found.number], found.about)) {
      return failure(failure_code::device_lost,
                     device_title(made->name()) + " has changed since it was found.");
    }
    made->facts_ = all[found.number];
  }
  made->plan_ = plan_memory(made->facts_, found.given);
  const VkResult code = found.adopted
                            ? made->use_device(static_cast<VkDevice>(found.adopted->device))
                            : made->create_device();
  if (code != VK_SUCCESS) return made->failed("cannot be connected", code);
  return made;
}

VkResult context::create_device() {
  const float priority[] = {1.0F, 1.0F};
  const bool two_queues = two_families() || facts_.compute_queues > 1;
  const auto of_family = [&](std::uint32_t family, std::uint32_t count) {
    auto made = structure<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
    made.queueFamilyIndex = family;
    made.queueCount = count;
    made.pQueuePriorities = priority;
    return made;
  };
  const VkDeviceQueueCreateInfo queues[] = {
      of_family(facts_.compute_family, two_queues && !two_families() ? 2 : 1),
      of_family(facts_.transfer_family, 1)};

  feature_chain features;
  const auto flag = [](bool on) { return on ? VK_TRUE : VK_FALSE; };
  features.all.features.shaderFloat64 = flag(facts_.float64);
  features.all.features.shaderInt64 = flag(facts_.int64);
  features.all.features.shaderInt16 = flag(facts_.int16);
  features.storage16.storageBuffer16BitAccess = flag(facts_.int16);
  features.v12.shaderInt8 = flag(facts_.int8);
  features.v12.storageBuffer8BitAccess = flag(facts_.int8);
  features.v12.timelineSemaphore = VK_TRUE;

  const char* const import = VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME;
  auto info = structure<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features.all);
  info.queueCreateInfoCount = two_families() ? 2 : 1;
  info.pQueueCreateInfos = queues;
  info.enabledExtensionCount = info_.imports_host_memory ? 1 : 0;
  info.ppEnabledExtensionNames = &import;
  VkDevice device = VK_NULL_HANDLE;
  const instance_api& api = instance_->api();
  VkResult code = api.vkCreateDevice(facts_.physical, &info, nullptr, &device);
  if (code == VK_SUCCESS) code = use_device(device);
  if (code != VK_SUCCESS) return code;
  if (info_.imports_host_memory && api_.vkGetMemoryHostPointerPropertiesEXT == nullptr) {
    return VK_ERROR_EXTENSION_NOT_PRESENT;
  }
  separate_ = two_queues;
  api_.vkGetDeviceQueue(device, compute_.family, 0, &compute_.handle);
  if (separate_) {
    api_.vkGetDeviceQueue(device, transfer_.family, two_families() ? 0 : 1, &transfer_.handle);
  }
  return VK_SUCCESS;
}

VkResult context::use_device(VkDevice device) {
  if (adopted_) compute_.handle = static_cast<VkQueue>(adopted_->queue);
  if (!load(instance_->api(), device, api_)) return VK_ERROR_INITIALIZATION_FAILED;
  compute_.family = facts_.compute_family;
  transfer_.family = facts_.transfer_family;
  return VK_SUCCESS;
}

context::~context() {
  if (api_.vkDestroyDevice == nullptr || api_.gone) return;
  // All submissions have ended; the driver may still be busy with their ends.
  if (adopted_) {
    if (api_.vkQueueWaitIdle != nullptr) drain();
    return;
  }
  if (api_.vkDeviceWaitIdle != nullptr) api_.vkDeviceWaitIdle(api_.device);
  api_.vkDestroyDevice(api_.device, nullptr);
}

void context::leave_driver() noexcept {
  api_.gone = true;
  instance_->leave_driver();
}

failure context::failed(const std::string& what, VkResult code) const {
  return vulkan::failed(name(), what, code);
}

failure context::lost(VkResult code) const {
  if (code == VK_SUCCESS) return {};
  return {failure_code::device_lost, failed("does not end a command", code).message()};
}

result<owned_semaphore> context::make_timeline() const {
  auto type = structure<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  auto info = structure<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type);
  owned_semaphore made;
  const VkResult code = create(api_, &device_api::vkCreateSemaphore, info, made);
  if (code != VK_SUCCESS) return failed("cannot make a semaphore", code);
  return made;
}

bool context::has_reached(VkSemaphore timeline, std::uint64_t value) const {
  std::uint64_t reached = 0;
  return api_.vkGetSemaphoreCounterValue(api_.device, timeline, &reached) == VK_SUCCESS &&
         reached >= value;
}

VkResult context::wait(VkSemaphore timeline, std::uint64_t value) const {
  auto info = structure<VkSemaphoreWaitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO);
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline;
  info.pValues = &value;
  const VkResult code =
      api_.vkWaitSemaphores(api_.device, &info, std::numeric_limits<std::uint64_t>::max());
  if (code != VK_SUCCESS) drain();
  return code;
}

void context::drain() const {
  const std::scoped_lock lock(compute_.guard, transfer_.guard);
  // The program may use other queues of a device of its own meanwhile.
  if (adopted_) return void(api_.vkQueueWaitIdle(compute_.handle));
  (void)api_.vkDeviceWaitIdle(api_.device);
}

VkResult context::submit(queue& to, const submission& what) const {
  auto values =
      structure<VkTimelineSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
  values.signalSemaphoreValueCount = 1;
  values.pSignalSemaphoreValues = &what.value;
  auto info = structure<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO, &values);
  info.commandBufferCount = static_cast<std::uint32_t>(what.commands.size());
  info.pCommandBuffers = what.commands.data();
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &what.timeline;
  VkResult code = VK_SUCCESS;
  {
    const std::scoped_lock lock(to.guard);
    code = api_.vkQueueSubmit(to.handle, 1, &info, VK_NULL_HANDLE);
  }
  if (code != VK_SUCCESS) drain();
  return code;
}

result<command_buffers> make_command_buffers(const context& of, std::uint32_t family,
                                             std::uint32_t count) {
  const device_api& api = of.api();
  auto info = structure<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  info.queueFamilyIndex = family;
  command_buffers made{{}, std::vector<VkCommandBuffer>(count)};
  VkResult code = create(api, &device_api::vkCreateCommandPool, info, made.pool);
  if (code != VK_SUCCESS) return of.failed("cannot make a command pool", code);
  auto buffers =
      structure<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  buffers.commandPool = made.pool.get();
  buffers.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  buffers.commandBufferCount = count;
  code = api.vkAllocateCommandBuffers(api.device, &buffers, made.buffers.data());
  if (code != VK_SUCCESS) return of.failed("cannot make command buffers", code);
  return made;
}

VkResult begin(const context& of, VkCommandBuffer commands, bool again) {
  auto info = structure<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  info.flags = again ? 0 : VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  const VkResult code = of.api().vkBeginCommandBuffer(commands, &info);
  if (code == VK_SUCCESS) barrier(of, commands);
  return code;
}

VkResult end(const context& of, VkCommandBuffer commands) {
  order(of, commands, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
  return of.api().vkEndCommandBuffer(commands);
}

void barrier(const context& of, VkCommandBuffer commands) {
  order(of, commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
        VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
}

}  // namespace hocket::vulkan
