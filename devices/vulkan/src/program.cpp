// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "program.hpp"

#include <fmt/format.h>

#include <hocket/devices/launch_plan.hpp>

#include "errors.hpp"

namespace hocket::vulkan {

result<std::shared_ptr<const program>> program_maker::make(const kernel_definition& kernel,
                                                           const kernel_source& source,
                                                           const program_variant& variant) {
  auto made = std::make_shared<program>();
  if (source.native) return std::shared_ptr<const program>(std::move(made));
  const std::size_t words = argument_words(kernel, source, variant);
  const bool small = words * sizeof(std::uint32_t) <= of_.limits().maxPushConstantsSize;
  made->block = small ? argument_block::push_constants : argument_block::storage_buffer;
  made->bindings =
      static_cast<std::uint32_t>(variant.ranks.size() + (source.scratch ? 1 : 0) + (small ? 0 : 1));
  if (failure why = check(kernel, source, *made)) return why;
  if (failure why = make_layout(*made, words)) return why;
  for (std::size_t pass = 0; pass < source.passes.size(); ++pass) {
    const std::string text = glsl_program(kernel, source, pass, variant, made->block);
    if (failure why = add_pass(*made, kernel.name, text)) return why;
  }
  return std::shared_ptr<const program>(std::move(made));
}

failure program_maker::check(const kernel_definition& kernel, const kernel_source& source,
                             const program& made) const {
  const VkPhysicalDeviceLimits& limits = of_.limits();
  if (made.bindings > limits.maxPerStageDescriptorStorageBuffers) {
    return compile_failure(of_.name(), kernel.name,
                           fmt::format("it has {} buffers, and the device binds {}.", made.bindings,
                                       limits.maxPerStageDescriptorStorageBuffers));
  }
  const std::uint32_t(&local)[3] = limits.maxComputeWorkGroupSize;
  return check_groups(kernel, source, {local[0], local[1], local[2]},
                      limits.maxComputeWorkGroupInvocations, of_.name());
}

failure program_maker::make_layout(program& made, std::size_t words) const {
  const device_api& api = of_.api();
  std::vector<VkDescriptorSetLayoutBinding> bindings(made.bindings);
  for (std::uint32_t b = 0; b < made.bindings; ++b) {
    bindings[b].binding = b;
    bindings[b].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    bindings[b].descriptorCount = 1;
    bindings[b].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  }
  auto set = structure<VkDescriptorSetLayoutCreateInfo>(
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  set.bindingCount = made.bindings;
  set.pBindings = bindings.data();
  VkResult code = create(api, &device_api::vkCreateDescriptorSetLayout, set, made.sets);
  if (code != VK_SUCCESS) return of_.failed("cannot describe a kernel's arguments", code);
  const VkDescriptorSetLayout sets = made.sets.get();
  VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0,
                            static_cast<std::uint32_t>(words * sizeof(std::uint32_t))};
  auto info = structure<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  info.setLayoutCount = 1;
  info.pSetLayouts = &sets;
  info.pushConstantRangeCount = made.block == argument_block::push_constants ? 1 : 0;
  info.pPushConstantRanges = &range;
  code = create(api, &device_api::vkCreatePipelineLayout, info, made.layout);
  if (code != VK_SUCCESS) return of_.failed("cannot describe a kernel's arguments", code);
  return {};
}

failure program_maker::add_pass(program& made, const std::string& kernel, const std::string& text) {
  const device_api& api = of_.api();
  auto words = compiler_.compile(of_.name(), kernel, text);
  if (!words) return words.error();
  auto module = structure<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  module.codeSize = words.value().size() * sizeof(std::uint32_t);
  module.pCode = words.value().data();
  owned_shader shader;
  VkResult code = create(api, &device_api::vkCreateShaderModule, module, shader);
  if (code != VK_SUCCESS) return refused(of_.name(), kernel, code);
  auto info =
      structure<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  // Grids of more groups than a dispatch may have are made of several.
  info.flags = VK_PIPELINE_CREATE_DISPATCH_BASE_BIT;
  info.stage = structure<VkPipelineShaderStageCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = shader.get();
  info.stage.pName = "main";
  info.layout = made.layout.get();
  VkPipeline pipeline = VK_NULL_HANDLE;
  code = api.vkCreateComputePipelines(api.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
  if (code != VK_SUCCESS) return refused(of_.name(), kernel, code);
  made.passes.emplace_back(api, pipeline);
  return {};
}

}  // namespace hocket::vulkan
