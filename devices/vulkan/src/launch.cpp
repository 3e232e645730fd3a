// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "launch.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "errors.hpp"

namespace hocket::vulkan {

namespace {

/// The part of a buffer that a region lies in, from a place that a binding may begin at.
struct bound {
  VkDescriptorBufferInfo info{};
  std::uint32_t first = 0;  // the region's first element, counted from there
};

bound bind(const context& of, const launch_memory& memory, const placed_buffer& b) {
  if (b.where.chunk == nullptr || b.region.empty())
    return {{memory.nothing(), 0, VK_WHOLE_SIZE}, 0};
  const std::uint64_t size = size_of(b.type);
  const index_list strides = dense_strides(b.extents);
  std::uint64_t first = 0, last = 0;
  for (std::size_t d = 0; d < strides.size(); ++d) {
    first += b.region.begin[d] * strides[d];
    last += (b.region.end[d] - 1) * strides[d];
  }
  // A binding begins at a whole element as well; all of these are powers of two.
  const std::uint64_t unit = std::max(of.limits().minStorageBufferOffsetAlignment, size);
  const buffer* const in = memory.find(b.where);
  const std::uint64_t begin = b.where.offset + first * size;
  const std::uint64_t from = begin / unit * unit;
  const std::uint64_t end = b.where.offset + (last + 1) * size;
  constexpr std::uint64_t word = sizeof(std::uint32_t);
  const std::uint64_t range = (end - from + word - 1) / word * word;
  return {{in->handle.get(), from, range}, static_cast<std::uint32_t>((begin - from) / size)};
}

/// Tells every pass where regions begin in what is bound.
void place(planned_launch& planned, const std::vector<bound>& buffers) {
  std::size_t at = std::tuple_size_v<grid>;
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    for (lowered_pass& pass : planned.lowered.passes) pass.words[at] = buffers[b].first;
    const std::size_t rank = planned.lowered.variant.ranks[b];
    at += rank == 0 ? 1 : 2 * rank;
  }
}

std::uint64_t aligned(const context& of, std::uint64_t bytes) {
  const std::uint64_t unit = of.limits().minStorageBufferOffsetAlignment;
  return (bytes + unit - 1) / unit * unit;
}

/// Writes the argument blocks of all passes one after another into a buffer.
failure write_blocks(const context& of, const planned_launch& planned, slot& to) {
  const auto& passes = planned.lowered.passes;
  const std::uint64_t bytes = passes.front().words.size() * sizeof(std::uint32_t);
  const std::uint64_t step = aligned(of, bytes);
  if (to.arguments.bytes < step * passes.size()) {
    auto made = make_buffer(of, step * passes.size(), host_access, 0);
    if (!made) return made.why();
    to.arguments = std::move(made).value();
  }
  auto* at = static_cast<std::byte*>(to.arguments.mapped);
  for (const lowered_pass& pass : passes) {
    std::memcpy(at, pass.words.data(), bytes);
    at += step;
  }
  return {};
}

VkResult make_room(const context& of, std::uint32_t sets, std::uint32_t bindings, slot& in) {
  const device_api& api = of.api();
  if (in.sets && in.sets_room >= sets && in.bindings_room >= bindings) {
    return api.vkResetDescriptorPool(api.device, in.sets.get(), 0);
  }
  in.sets_room = std::max(in.sets_room, sets);
  in.bindings_room = std::max(in.bindings_room, bindings);
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, in.bindings_room};
  VkDescriptorPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.maxSets = in.sets_room;
  info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  VkDescriptorPool made = VK_NULL_HANDLE;
  const VkResult code = api.vkCreateDescriptorPool(api.device, &info, nullptr, &made);
  if (code == VK_SUCCESS) in.sets = owned_descriptor_pool(api, made);
  return code;
}

/// One set for all passes, or one for each if their argument blocks are bound.
VkResult make_sets(const context& of, const planned_launch& planned,
                   std::vector<VkDescriptorBufferInfo> bindings, slot& in,
                   std::vector<VkDescriptorSet>& sets) {
  const program& p = *planned.made;
  const device_api& api = of.api();
  const bool blocks = p.block == argument_block::storage_buffer;
  const auto count = static_cast<std::uint32_t>(blocks ? p.passes.size() : 1);
  VkResult code = make_room(of, count, count * p.bindings, in);
  if (code != VK_SUCCESS) return code;
  const std::vector<VkDescriptorSetLayout> layouts(count, p.sets.get());
  sets.resize(count);
  VkDescriptorSetAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = in.sets.get();
  info.descriptorSetCount = count;
  info.pSetLayouts = layouts.data();
  code = api.vkAllocateDescriptorSets(api.device, &info, sets.data());
  if (code != VK_SUCCESS) return code;
  const std::uint64_t bytes = planned.lowered.passes.front().words.size() * sizeof(std::uint32_t);
  if (blocks) bindings.push_back({in.arguments.handle.get(), 0, bytes});
  assert(bindings.size() == p.bindings);
  for (std::uint32_t s = 0; s < count; ++s) {
    if (blocks) bindings.back().offset = s * aligned(of, bytes);
    VkWriteDescriptorSet write{};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = sets[s];
    write.descriptorCount = p.bindings;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = bindings.data();
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

void record_passes(const context& of, const planned_launch& planned,
                   const std::vector<VkDescriptorSet>& sets, VkCommandBuffer commands) {
  const program& p = *planned.made;
  const device_api& api = of.api();
  bool first = true;
  for (std::size_t i = 0; i < p.passes.size(); ++i) {
    const lowered_pass& pass = planned.lowered.passes[i];
    if (std::ranges::find(pass.groups, 0U) != pass.groups.end()) continue;
    if (!std::exchange(first, false)) barrier(of, commands);
    api.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, p.passes[i].get());
    if (!sets.empty()) {
      const VkDescriptorSet& set = sets[std::min(i, sets.size() - 1)];
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
}

}  // namespace

planned_launch plan(const context& of, const command& what) {
  const auto& launch = std::get<launch_command>(what.what);
  planned_launch made;
  made.value = what.value;
  made.source = source_for(*launch.kernel, kernel_format::glsl, of.info().style);
  if (made.source == nullptr) {
    made.why = refused(of.name(), launch.kernel->name, "it has no body in GLSL for it.");
    return made;
  }
  std::vector<device_argument> arguments;
  arguments.reserve(launch.buffers.size());
  for (const placed_buffer& b : launch.buffers)
    arguments.push_back({b.type, &b.extents, &b.region});
  auto lowered = lower(*launch.kernel, *made.source, arguments, launch.scalars);
  if (lowered) {
    made.lowered = std::move(lowered).value();
  } else {
    made.why = lowered.why();
  }
  return made;
}

result<std::unique_ptr<slot>> make_slot(const context& of, bool stamped) {
  auto made = std::make_unique<slot>();
  auto owner = make_command_buffers(of, of.about().compute_family, 1);
  if (!owner) return owner.why();
  made->owner = std::move(owner).value();
  made->commands = made->owner.buffers.front();
  if (stamped) made->stamps = make_stamps(of);
  return made;
}

failure launch_memory::make_nothing() {
  auto made = make_buffer(of_, 1, 0, 0);
  if (!made) return made.why();
  nothing_ = std::move(made).value();
  return {};
}

const buffer* launch_memory::find(const allocation& where) const {
  return imports_ != nullptr ? imports_->find(where) : &device_memory::chunk(where);
}

failure record(const context& of, const launch_memory& memory, const launch_command& what,
               planned_launch& planned, slot& to) {
  const program& p = *planned.made;
  std::vector<bound> buffers;
  std::vector<VkDescriptorBufferInfo> bindings;
  for (const placed_buffer& b : what.buffers) {
    buffers.push_back(bind(of, memory, b));
    bindings.push_back(buffers.back().info);
  }
  place(planned, buffers);
  if (planned.source->scratch) {
    const buffer* const own = planned.scratch.get();
    bindings.push_back({own != nullptr ? own->handle.get() : memory.nothing(), 0, VK_WHOLE_SIZE});
  }
  const auto why = [&](VkResult code) {
    return of.failed("cannot record a launch of kernel \"" + what.kernel->name + "\"", code);
  };
  if (p.block == argument_block::storage_buffer) {
    if (failure none = write_blocks(of, planned, to)) return none;
  }
  std::vector<VkDescriptorSet> sets;
  if (p.bindings > 0) {
    const VkResult code = make_sets(of, planned, std::move(bindings), to, sets);
    if (code != VK_SUCCESS) return why(code);
  }
  VkResult code = begin(of, to.commands);
  if (code != VK_SUCCESS) return why(code);
  if (to.stamps) {
    of.api().vkCmdResetQueryPool(to.commands, to.stamps.get(), 0, 2);
    write_stamp(of, to.commands, to.stamps, 0);
  }
  record_passes(of, planned, sets, to.commands);
  if (to.stamps) write_stamp(of, to.commands, to.stamps, 1);
  code = end(of, to.commands);
  if (code != VK_SUCCESS) return why(code);
  to.uses = planned.made;
  to.scratch = planned.scratch;
  return {};
}

}  // namespace hocket::vulkan
