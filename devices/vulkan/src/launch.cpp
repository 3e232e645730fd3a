// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "launch.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include <fmt/format.h>

#include <hocket/devices/native_call.hpp>
#include <hocket/kernels/native.hpp>
#include <hocket/memory/binding.hpp>

#include "errors.hpp"

namespace hocket::vulkan {

namespace {

/// The part of a buffer that a region lies in, from a place that a binding may begin at.
struct bound {
  VkDescriptorBufferInfo info{};
  std::uint32_t first = 0;  // the region's first element, counted from there
};

result<bound> bind(const context& of, const launch_memory& memory, const placed_buffer& b) {
  const array_part& part = *b.part;
  if (b.where.chunk == nullptr || part.region().empty()) {
    return bound{{memory.nothing(), 0, VK_WHOLE_SIZE}, 0};
  }
  const std::uint64_t size = size_of(part.type());
  const buffer* const in = memory.find(b.where);
  const std::uint64_t begin = in->first_byte + part.first_byte();
  const std::uint64_t unit = of.limits().minStorageBufferOffsetAlignment;
  const auto before = bytes_before(begin, size, unit);
  if (!before) {
    return failure(failure_code::task_failed,
                   fmt::format("{} cannot use elements of {} bytes that begin {} bytes behind a "
                               "multiple of {}: memory of the program that holds them has to begin "
                               "at a multiple of {}.",
                               device_title(of.name()), size, begin % unit, unit, unit));
  }
  const std::uint64_t from = begin - *before, end = begin + part.spanned_bytes();
  constexpr std::uint64_t word = sizeof(std::uint32_t);
  const std::uint64_t range = (end - from + word - 1) / word * word;
  return bound{{in->handle.get(), from, range}, static_cast<std::uint32_t>(*before / size)};
}

std::uint64_t aligned(const context& of, std::uint64_t bytes) {
  const std::uint64_t unit = of.limits().minStorageBufferOffsetAlignment;
  return (bytes + unit - 1) / unit * unit;
}

/// The buffers that one part binds, and where.
struct part_bindings {
  std::vector<VkDescriptorBufferInfo> bindings;
  std::vector<VkDescriptorSet> sets;  // one for all passes, or one for each with its block
  std::uint64_t block = 0;            // where the blocks of the passes begin
};

bool binds_blocks(const planned_part& part) {
  return part.made->block == argument_block::storage_buffer;
}

std::uint64_t block_bytes(const planned_part& part) {
  return part.lowered.passes.front().words.size() * sizeof(std::uint32_t);
}

std::uint32_t sets_of(const planned_part& part) {
  if (part.made->bindings == 0) return 0;
  return binds_blocks(part) ? static_cast<std::uint32_t>(part.lowered.passes.size()) : 1;
}

/// Writes the argument blocks of all passes of all parts one after another into a buffer.
failure write_blocks(const context& of, const planned_launch& planned,
                     std::vector<part_bindings>& parts, slot& to) {
  std::vector<std::byte> blocks;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const planned_part& part = planned.parts[i];
    if (!binds_blocks(part)) continue;
    parts[i].block = blocks.size();
    for (const lowered_pass& pass : part.lowered.passes) {
      const std::size_t at = blocks.size();
      blocks.resize(at + aligned(of, block_bytes(part)));
      std::memcpy(blocks.data() + at, pass.words.data(), block_bytes(part));
    }
  }
  if (to.arguments.bytes < blocks.size()) {
    auto made = make_buffer(of, blocks.size(), host_access, 0);
    if (!made) return made.error();
    to.arguments = std::move(made).value();
  }
  if (!blocks.empty()) std::memcpy(to.arguments.mapped, blocks.data(), blocks.size());
  return {};
}

/// Makes the pool empty, and large enough.
VkResult make_room(const context& of, const planned_launch& planned, slot& in) {
  std::uint32_t sets = 0, bindings = 0;
  for (const planned_part& part : planned.parts) {
    sets += sets_of(part);
    bindings += sets_of(part) * part.made->bindings;
  }
  if (sets == 0) return VK_SUCCESS;
  const device_api& api = of.api();
  if (in.sets && in.sets_room >= sets && in.bindings_room >= bindings) {
    return api.vkResetDescriptorPool(api.device, in.sets.get(), 0);
  }
  sets = std::max(in.sets_room, sets);
  bindings = std::max(in.bindings_room, bindings);
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, bindings};
  auto info = structure<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  info.maxSets = sets;
  info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  const VkResult code = create(api, &device_api::vkCreateDescriptorPool, info, in.sets);
  if (code != VK_SUCCESS) return code;
  in.sets_room = sets;
  in.bindings_room = bindings;
  return VK_SUCCESS;
}

VkResult make_sets(const context& of, const planned_part& part, part_bindings& its, slot& in) {
  const program& p = *part.made;
  const device_api& api = of.api();
  const std::uint32_t count = sets_of(part);
  if (count == 0) return VK_SUCCESS;
  const std::vector<VkDescriptorSetLayout> layouts(count, p.sets.get());
  its.sets.resize(count);
  auto info =
      structure<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  info.descriptorPool = in.sets.get();
  info.descriptorSetCount = count;
  info.pSetLayouts = layouts.data();
  const VkResult code = api.vkAllocateDescriptorSets(api.device, &info, its.sets.data());
  if (code != VK_SUCCESS) return code;
  const bool blocks = binds_blocks(part);
  if (blocks) its.bindings.push_back({in.arguments.handle.get(), 0, block_bytes(part)});
  assert(its.bindings.size() == p.bindings);
  for (std::uint32_t s = 0; s < count; ++s) {
    if (blocks) its.bindings.back().offset = its.block + s * aligned(of, block_bytes(part));
    auto write = structure<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
    write.dstSet = its.sets[s];
    write.descriptorCount = p.bindings;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = its.bindings.data();
    api.vkUpdateDescriptorSets(api.device, 1, &write, 0, nullptr);
  }
  return VK_SUCCESS;
}

/// In as many pieces as the device's limits ask for.
void dispatch(const context& of, VkCommandBuffer commands, const grid& groups) {
  const std::uint32_t* const most = of.limits().maxComputeWorkGroupCount;
  const auto piece = [&](std::size_t d, std::size_t from) {
    return static_cast<std::uint32_t>(std::min<std::size_t>(groups[d] - from, most[d]));
  };
  for (std::size_t z = 0; z < groups[2]; z += most[2]) {
    for (std::size_t y = 0; y < groups[1]; y += most[1]) {
      for (std::size_t x = 0; x < groups[0]; x += most[0]) {
        of.api().vkCmdDispatchBase(commands, static_cast<std::uint32_t>(x),
                                   static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(z),
                                   piece(0, x), piece(1, y), piece(2, z));
      }
    }
  }
}

void record_pass(const context& of, const planned_part& part, std::size_t index,
                 const std::vector<VkDescriptorSet>& sets, VkCommandBuffer commands) {
  const program& p = *part.made;
  const device_api& api = of.api();
  const lowered_pass& pass = part.lowered.passes[index];
  api.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, p.passes[pass.pass].get());
  if (!sets.empty()) {
    const VkDescriptorSet& set = sets[std::min(index, sets.size() - 1)];
    api.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, p.layout.get(), 0, 1,
                                &set, 0, nullptr);
  }
  if (p.block == argument_block::push_constants) {
    const auto bytes = static_cast<std::uint32_t>(pass.words.size() * sizeof(std::uint32_t));
    api.vkCmdPushConstants(commands, p.layout.get(), VK_SHADER_STAGE_COMPUTE_BIT, 0, bytes,
                           pass.words.data());
  }
  dispatch(of, commands, pass.groups);
}

result<part_bindings> bind_part(const context& of, const launch_memory& memory,
                                const buffer* scratch, planned_part& part) {
  std::vector<std::uint32_t> first;
  part_bindings made;
  for (const placed_buffer& b : part.what->buffers) {
    const result<bound> its = bind(of, memory, b);
    if (!its) return its.error();
    made.bindings.push_back(its.value().info);
    first.push_back(its.value().first);
  }
  set_first_elements(part.lowered, first);
  if (part.source->scratch) {
    made.bindings.push_back(
        {scratch != nullptr ? scratch->handle.get() : memory.nothing(), 0, VK_WHOLE_SIZE});
  }
  return made;
}

failure record_native(const context& of, const launch_memory& memory, const planned_part& part,
                      slot& to) {
  const vulkan_place place{of.instance_handle(), of.about().physical,       of.api().device,
                           to.commands,          of.about().compute_family, &to.kept};
  return call_native(*part.source, *part.what, &place, [&](std::size_t i) {
    const buffer* const in = memory.find(part.what->buffers[i].where);
    return native_object{in->handle.get(), in->first_byte};
  });
}

}  // namespace

result<std::unique_ptr<slot>> make_slot(const context& of, bool stamped) {
  auto made = std::make_unique<slot>();
  auto owner = make_command_buffers(of, of.about().compute_family, 1);
  if (!owner) return owner.error();
  made->owner = std::move(owner).value();
  made->commands = made->owner.buffers.front();
  if (stamped) made->stamps = make_stamps(of);
  return made;
}

failure launch_memory::make_nothing() {
  auto made = make_buffer(of_, 1, 0, 0);
  if (!made) return made.error();
  nothing_ = std::move(made).value();
  return {};
}

const buffer* launch_memory::find(const allocation& where) const {
  return imports_ != nullptr ? imports_->find(where) : &device_memory::chunk(where);
}

failure record(const context& of, const launch_memory& memory, planned_launch& planned,
               std::shared_ptr<const buffer> scratch, slot& to) {
  std::vector<part_bindings> bound_to;
  bound_to.reserve(planned.parts.size());
  for (planned_part& part : planned.parts) {
    if (part.source->native) {
      bound_to.emplace_back();
      continue;
    }
    auto its = bind_part(of, memory, scratch.get(), part);
    if (!its) return its.error();
    bound_to.push_back(std::move(its).value());
  }
  const auto why = [&](VkResult code) {
    return of.failed(
        "cannot record a launch of kernel \"" + planned.parts.front().what->kernel->name + "\"",
        code);
  };
  if (failure none = write_blocks(of, planned, bound_to, to)) return none;
  VkResult code = make_room(of, planned, to);
  for (std::size_t i = 0; i < bound_to.size() && code == VK_SUCCESS; ++i) {
    code = make_sets(of, planned.parts[i], bound_to[i], to);
  }
  if (code == VK_SUCCESS) code = begin(of, to.commands, true);
  if (code != VK_SUCCESS) return why(code);
  if (to.stamps) {
    of.api().vkCmdResetQueryPool(to.commands, to.stamps.get(), 0, 2);
    write_stamp(of, to.commands, to.stamps, 0);
  }
  failure refused;
  for_each_pass(planned, [&](std::size_t part, std::size_t pass, bool waits) {
    if (refused) return;
    if (waits) barrier(of, to.commands);
    const planned_part& its = planned.parts[part];
    if (its.source->native) {
      refused = record_native(of, memory, its, to);
    } else {
      record_pass(of, its, pass, bound_to[part].sets, to.commands);
    }
  });
  if (refused) return refused;
  if (to.stamps) write_stamp(of, to.commands, to.stamps, 1);
  code = end(of, to.commands);
  if (code != VK_SUCCESS) return why(code);
  for (const planned_part& part : planned.parts) to.uses.push_back(part.made);
  to.scratch = std::move(scratch);
  return {};
}

}  // namespace hocket::vulkan
