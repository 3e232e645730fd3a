// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "memory.hpp"

#include <algorithm>

#include "errors.hpp"

namespace hocket::vulkan {

namespace {

// Bindings end at whole words, whatever the elements are.
constexpr std::uint64_t granule = 16;
constexpr VkExternalMemoryHandleTypeFlagBits host_handle =
    VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;

std::uint64_t rounded(std::uint64_t bytes, std::uint64_t to) {
  return std::max((bytes + to - 1) / to, std::uint64_t{1}) * to;
}

VkResult make_handle(const context& of, std::uint64_t bytes, void* next, owned_buffer& to) {
  const std::uint32_t families[] = {of.about().compute_family, of.about().transfer_family};
  auto info = structure<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, next);
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (of.two_families()) {
    info.sharingMode = VK_SHARING_MODE_CONCURRENT;
    info.queueFamilyIndexCount = 2;
    info.pQueueFamilyIndices = families;
  }
  return create(of.api(), &device_api::vkCreateBuffer, info, to);
}

/// Which types of memory may be taken.
struct wanted_memory {
  VkMemoryPropertyFlags required = 0;
  VkMemoryPropertyFlags preferred = 0;
  std::uint32_t types = ~std::uint32_t{0};
};

/// Gives the buffer its memory, which is imported if next says so.
VkResult add_memory(const context& of, const wanted_memory& what, void* next, buffer& to) {
  const device_api& api = of.api();
  VkMemoryRequirements needs{};
  api.vkGetBufferMemoryRequirements(api.device, to.handle.get(), &needs);
  const auto type = memory_type(of.about().memory, needs.memoryTypeBits & what.types, what.required,
                                what.preferred);
  if (!type) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  auto info = structure<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, next);
  info.allocationSize = next == nullptr ? needs.size : to.bytes;
  info.memoryTypeIndex = *type;
  const VkResult code = create(api, &device_api::vkAllocateMemory, info, to.memory);
  if (code != VK_SUCCESS) return code;
  return api.vkBindBufferMemory(api.device, to.handle.get(), to.memory.get(), 0);
}

}  // namespace

result<buffer> make_buffer(const context& of, std::uint64_t bytes, VkMemoryPropertyFlags required,
                           VkMemoryPropertyFlags preferred) {
  const device_api& api = of.api();
  const auto why = [&](VkResult code) {
    return of.failed("has no memory for " + std::to_string(bytes) + " bytes", code);
  };
  buffer made;
  made.bytes = rounded(bytes, granule);
  VkResult code = make_handle(of, made.bytes, nullptr, made.handle);
  if (code != VK_SUCCESS) return why(code);
  code = add_memory(of, {required, preferred}, nullptr, made);
  if (code != VK_SUCCESS) return why(code);
  if ((required & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0) {
    code = api.vkMapMemory(api.device, made.memory.get(), 0, VK_WHOLE_SIZE, 0, &made.mapped);
    if (code != VK_SUCCESS) return why(code);
  }
  return made;
}

result<allocation> device_memory::allocate(std::size_t bytes, std::size_t) {
  const std::uint64_t largest = of_.about().largest_allocation;
  const std::uint64_t most = of_.limits().maxMemoryAllocationCount;
  if (bytes > largest) {
    return no_memory(of_.name(), bytes,
                     "its largest allocation is " + std::to_string(largest) + " bytes.");
  }
  if (count_.fetch_add(1) >= most) {
    --count_;
    return no_memory(of_.name(), bytes,
                     "all of its " + std::to_string(most) + " allocations are in use.");
  }
  // Buffers begin at offset zero, which is a multiple of everything.
  auto made = make_buffer(of_, bytes, of_.plan().required, of_.plan().preferred);
  if (!made) {
    --count_;
    return made.error();
  }
  auto chunk = std::make_unique<buffer>(std::move(made).value());
  return allocation{chunk.release(), bytes};
}

void device_memory::deallocate(const allocation& a) noexcept {
  of_.note_release();
  std::unique_ptr<buffer>(static_cast<buffer*>(a.chunk)).reset();
  --count_;
}

result<buffer> import_host(const context& of, const allocation& host) {
  const device_api& api = of.api();
  const std::uint64_t unit = *of.about().import_alignment;
  auto* const address = static_cast<std::byte*>(host.address());
  const std::uint64_t first = reinterpret_cast<std::uintptr_t>(address) % unit;
  std::byte* const page = address - first;
  const auto why = [&](VkResult code) {
    return of.failed("cannot use " + std::to_string(host.bytes) + " bytes of the host's memory",
                     code);
  };
  auto allowed = structure<VkMemoryHostPointerPropertiesEXT>(
      VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT);
  VkResult code = api.vkGetMemoryHostPointerPropertiesEXT(api.device, host_handle, page, &allowed);
  if (code != VK_SUCCESS) return why(code);
  buffer made;
  made.bytes = rounded(first + host.bytes, unit);
  made.mapped = address;
  made.first_byte = first;
  auto external = structure<VkExternalMemoryBufferCreateInfo>(
      VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO);
  external.handleTypes = host_handle;
  code = make_handle(of, made.bytes, &external, made.handle);
  if (code != VK_SUCCESS) return why(code);
  auto import = structure<VkImportMemoryHostPointerInfoEXT>(
      VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT);
  import.handleType = host_handle;
  import.pHostPointer = page;
  code = add_memory(of, {host_access, VK_MEMORY_PROPERTY_HOST_CACHED_BIT, allowed.memoryTypeBits},
                    &import, made);
  if (code != VK_SUCCESS) return why(code);
  return made;
}

}  // namespace hocket::vulkan
