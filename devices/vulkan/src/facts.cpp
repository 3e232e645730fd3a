// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "facts.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <thread>
#include <tuple>

#include <fmt/format.h>

#include <hocket/core/error.hpp>
#include <hocket/devices/driver_text.hpp>
#include <hocket/devices/pci_address.hpp>
#include <hocket/devices/prediction.hpp>

namespace hocket::vulkan {

namespace {

constexpr std::size_t largest_group = 256;  // of a kernel_pass
constexpr std::uint64_t max_memory = std::uint64_t{1} << 46U;

std::set<std::string> extensions_of(const instance_api& api, VkPhysicalDevice device) {
  std::vector<VkExtensionProperties> found;
  const VkResult code = list_all(found, [&](std::uint32_t* count, VkExtensionProperties* to) {
    return api.vkEnumerateDeviceExtensionProperties(device, nullptr, count, to);
  });
  std::set<std::string> names;
  if (code != VK_SUCCESS) return names;
  for (const VkExtensionProperties& e : found) names.insert(driver_text(e.extensionName));
  return names;
}

void read_properties(const instance_api& api, facts& of) {
  const std::set<std::string> extensions = extensions_of(api, of.physical);
  auto import = structure<VkPhysicalDeviceExternalMemoryHostPropertiesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT);
  auto pci = structure<VkPhysicalDevicePCIBusInfoPropertiesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT);
  auto driver = structure<VkPhysicalDeviceDriverProperties>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
  auto sizes = structure<VkPhysicalDeviceMaintenance3Properties>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES, &driver);
  auto all = structure<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                                    &sizes);
  const bool imports = extensions.contains(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  const bool has_pci = extensions.contains(VK_EXT_PCI_BUS_INFO_EXTENSION_NAME);
  if (has_pci) import.pNext = &pci;
  driver.pNext = imports ? static_cast<void*>(&import) : import.pNext;
  api.vkGetPhysicalDeviceProperties2(of.physical, &all);
  of.properties = all.properties;
  of.largest_allocation = sizes.maxMemoryAllocationSize;
  of.driver = driver.driverID;
  const std::string more = driver_text(driver.driverInfo);
  of.driver_text = driver_text(driver.driverName) + (more.empty() ? "" : " " + more);
  constexpr VkDeviceSize largest_page = VkDeviceSize{1} << 21U;
  if (imports && std::has_single_bit(import.minImportedHostPointerAlignment) &&
      import.minImportedHostPointerAlignment <= largest_page) {
    of.import_alignment = import.minImportedHostPointerAlignment;
  }
  if (has_pci) {
    of.pci = pci_address({pci.pciDomain, pci.pciBus, pci.pciDevice, pci.pciFunction});
  }
}

/// False if the device lacks a feature that the backend cannot do without.
bool read_features(const instance_api& api, facts& of) {
  feature_chain has;
  api.vkGetPhysicalDeviceFeatures2(of.physical, &has.all);
  const VkPhysicalDeviceFeatures& basic = has.all.features;
  of.float64 = basic.shaderFloat64 == VK_TRUE;
  of.int64 = basic.shaderInt64 == VK_TRUE;
  of.int16 = basic.shaderInt16 == VK_TRUE && has.storage16.storageBuffer16BitAccess == VK_TRUE;
  of.int8 = has.v12.shaderInt8 == VK_TRUE && has.v12.storageBuffer8BitAccess == VK_TRUE;
  return has.v12.timelineSemaphore == VK_TRUE;
}

std::vector<VkQueueFamilyProperties> families_of(const instance_api& api,
                                                 VkPhysicalDevice physical) {
  std::vector<VkQueueFamilyProperties> families;
  (void)list_all(families, [&](std::uint32_t* count, VkQueueFamilyProperties* to) {
    api.vkGetPhysicalDeviceQueueFamilyProperties(physical, count, to);
    return VK_SUCCESS;
  });
  return families;
}

/// False if there is none that computes.
bool choose_families(const instance_api& api, facts& of) {
  const std::vector<VkQueueFamilyProperties> families = families_of(api, of.physical);
  // Of several the one that does the least besides.
  const auto least = [&](VkQueueFlags wanted) -> std::optional<std::uint32_t> {
    std::optional<std::uint32_t> best;
    for (std::uint32_t f = 0; f < families.size(); ++f) {
      if ((families[f].queueFlags & wanted) == 0 || families[f].queueCount == 0) continue;
      const auto uses = [&](std::uint32_t i) { return std::popcount(families[i].queueFlags); };
      if (!best || uses(f) < uses(*best)) best = f;
    }
    return best;
  };
  const auto compute = least(VK_QUEUE_COMPUTE_BIT);
  if (!compute) return false;
  of.compute_family = *compute;
  of.transfer_family = *compute;
  of.compute_queues = families[*compute].queueCount;
  of.timestamp_bits = families[*compute].timestampValidBits;
  const auto transfer = least(VK_QUEUE_TRANSFER_BIT);
  const VkQueueFlags more = VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT;
  if (transfer && (families[*transfer].queueFlags & more) == 0) of.transfer_family = *transfer;
  return true;
}

std::string unusable_memory(const VkPhysicalDeviceMemoryProperties& of) {
  bool sound =
      of.memoryTypeCount <= VK_MAX_MEMORY_TYPES && of.memoryHeapCount <= VK_MAX_MEMORY_HEAPS;
  std::uint64_t most = 0;
  for (std::uint32_t t = 0; sound && t < of.memoryTypeCount; ++t) {
    const std::uint32_t heap = of.memoryTypes[t].heapIndex;
    sound = heap < of.memoryHeapCount;
    if (sound) most = std::max<std::uint64_t>(most, of.memoryHeaps[heap].size);
  }
  if (!sound) return "describes memories that cannot be";
  return most == 0 ? "says that it has no memory" : "";
}

/// Kernels rely on less than Vulkan asks of every device, but for the size of groups.
std::string unusable_limits(const facts& of) {
  const VkPhysicalDeviceLimits& has = of.properties.limits;
  struct limit {
    const char* name;
    std::uint64_t has;
    std::uint64_t needed;
  };
  const limit limits[] = {
      {"maxMemoryAllocationSize", of.largest_allocation, std::uint64_t{1} << 24U},
      {"maxStorageBufferRange", has.maxStorageBufferRange, std::uint64_t{1} << 24U},
      {"maxPerStageDescriptorStorageBuffers", has.maxPerStageDescriptorStorageBuffers, 4},
      {"maxComputeWorkGroupInvocations", has.maxComputeWorkGroupInvocations, largest_group},
      {"maxComputeWorkGroupSize[0]", has.maxComputeWorkGroupSize[0], largest_group},
      {"maxComputeWorkGroupCount[0]", has.maxComputeWorkGroupCount[0], 1024},
      {"maxComputeWorkGroupCount[1]", has.maxComputeWorkGroupCount[1], 1024},
      {"maxComputeWorkGroupCount[2]", has.maxComputeWorkGroupCount[2], 1024},
  };
  for (const limit& l : limits) {
    if (l.has < l.needed) {
      return fmt::format("has a {} of {}, and kernels need {}", l.name, l.has, l.needed);
    }
  }
  const VkDeviceSize alignment = has.minStorageBufferOffsetAlignment;
  constexpr VkDeviceSize largest_alignment = 4096;
  if (std::has_single_bit(alignment) && alignment <= largest_alignment) return "";
  return fmt::format("wants buffers to begin at multiples of {}", alignment);
}

/// Puts the properties of the device into `made`. Returns why it cannot be used, as the end of a
/// sentence that begins with its name; empty if it can be used.
std::string inspect(const instance_api& api, VkPhysicalDevice physical, facts& made) {
  made.physical = physical;
  // The oldest query first, because older drivers do not know those that follow.
  api.vkGetPhysicalDeviceProperties(physical, &made.properties);
  made.name = driver_name(made.properties.deviceName);
  const std::uint32_t version = made.properties.apiVersion;
  if (version < VK_API_VERSION_1_2) {
    return fmt::format("has Vulkan {}.{}, and kernels need 1.2", VK_API_VERSION_MAJOR(version),
                       VK_API_VERSION_MINOR(version));
  }
  read_properties(api, made);
  if (!read_features(api, made)) return "has no timeline semaphores";
  if (!choose_families(api, made)) return "has no queue that computes";
  api.vkGetPhysicalDeviceMemoryProperties(physical, &made.memory);
  const std::string why = unusable_memory(made.memory);
  return why.empty() ? unusable_limits(made) : why;
}

int rank_of(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return 0;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return 1;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return 2;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return 3;
    default:
      return 4;
  }
}

device_style style_of(const facts& of) {
  if (of.driver == VK_DRIVER_ID_GOOGLE_SWIFTSHADER) return device_style::cpu_switching;
  const bool cpu = of.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  return cpu ? device_style::cpu_lanes : device_style::gpu;
}

std::vector<element_type> lacks_of(const facts& of) {
  std::vector<element_type> lacks;
  const auto unless = [&](bool has, std::initializer_list<element_type> types) {
    if (has) return;
    // Not by insert(): g++ 12 warns of an overflow in it that is none.
    for (const element_type type : types) lacks.push_back(type);
  };
  unless(of.float64, {element_type::f64, element_type::c128});
  unless(of.int64, {element_type::i64, element_type::u64});
  unless(of.int16, {element_type::i16, element_type::u16, element_type::f16, element_type::bf16});
  unless(of.int8, {element_type::i8, element_type::u8, element_type::boolean, element_type::f8e4m3,
                   element_type::f8e5m2});
  return lacks;
}

}  // namespace

std::vector<facts> usable_devices(const instance& of, std::vector<std::string>* left_out) {
  std::vector<facts> found;
  const auto leave_out = [&](const std::string& sentence) {
    if (left_out != nullptr) left_out->push_back(sentence);
  };
  auto listed = of.physical_devices();
  if (!listed) {
    leave_out(listed.error().message());
    return found;
  }
  for (VkPhysicalDevice physical : listed.value()) {
    facts made;
    const std::string why = inspect(of.api(), physical, made);
    if (why.empty()) {
      found.push_back(std::move(made));
    } else {
      leave_out("The Vulkan device \"" + made.name + "\"" +
                (made.driver_text.empty() ? "" : " of the driver \"" + made.driver_text + "\"") +
                " is left out: it " + why + ".");
    }
  }
  std::ranges::stable_sort(found, {}, [](const facts& f) {
    return std::tuple(rank_of(f.properties.deviceType), f.pci);
  });
  return found;
}

facts facts_of(const instance& of, const vulkan_device& given) {
  facts made;
  const auto refuse = [&](const std::string& why) {
    throw usage_error("runtime_options::adopted has a device of Vulkan that cannot be used: " +
                      why);
  };
  const std::string why =
      inspect(of.api(), static_cast<VkPhysicalDevice>(given.physical_device), made);
  if (!why.empty()) refuse("\"" + made.name + "\" " + why + ".");
  const auto families = families_of(of.api(), made.physical);
  const std::uint32_t family = given.queue_family;
  if (family >= families.size() || (families[family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) {
    refuse("its queue_family is " + std::to_string(family) + ", which does not compute.");
  }
  made.compute_family = made.transfer_family = family;
  made.compute_queues = 1;
  made.timestamp_bits = families[family].timestampValidBits;
  made.float64 = made.float64 && given.float64;
  made.int64 = made.int64 && given.int64;
  made.int16 = made.int16 && given.int16;
  made.int8 = made.int8 && given.int8;
  made.import_alignment.reset();  // its extension may not be enabled
  return made;
}

bool same(const facts& a, const facts& b) {
  return a.driver == b.driver && a.driver_text == b.driver_text && a.pci == b.pci &&
         a.properties.vendorID == b.properties.vendorID &&
         a.properties.deviceID == b.properties.deviceID && a.name == b.name;
}

std::optional<std::uint32_t> memory_type(const VkPhysicalDeviceMemoryProperties& memory,
                                         std::uint32_t allowed, VkMemoryPropertyFlags required,
                                         VkMemoryPropertyFlags preferred) {
  std::optional<std::uint32_t> best;
  int most = -1;
  for (std::uint32_t t = 0; t < memory.memoryTypeCount; ++t) {
    const VkMemoryPropertyFlags flags = memory.memoryTypes[t].propertyFlags;
    if ((allowed >> t & 1U) == 0 || (flags & required) != required) continue;
    const int has = std::popcount(flags & preferred);
    if (has > most) {
      most = has;
      best = t;
    }
  }
  return best;
}

memory_plan plan_memory(const facts& of, const options& given) {
  // Memory of a card that the host can address is slow to read there.
  const bool apart = of.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  const VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                     VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                                     VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  const std::uint32_t any = ~std::uint32_t{0};
  if (!given.staging && !apart && memory_type(of.memory, any, host, 0)) {
    return {true, host, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT};
  }
  return {false, 0, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT};
}

device_info describe(const facts& of, std::size_t number, const options& given) {
  const VkPhysicalDeviceLimits& limits = of.properties.limits;
  const memory_plan plan = plan_memory(of, given);
  device_info info;
  info.name = "Vulkan" + std::to_string(number);
  info.backend = "vulkan";
  info.pci = of.pci;
  info.description = fmt::format("{}, {}, Vulkan {}.{}.{}", of.name, of.driver_text,
                                 VK_API_VERSION_MAJOR(of.properties.apiVersion),
                                 VK_API_VERSION_MINOR(of.properties.apiVersion),
                                 VK_API_VERSION_PATCH(of.properties.apiVersion));
  info.formats = {kernel_format::vulkan_commands, kernel_format::glsl};
  info.style = given.gpu_texts ? device_style::gpu : style_of(of);
  info.lacks = lacks_of(of);
  info.domain = info.name;
  const auto type = memory_type(of.memory, ~std::uint32_t{0}, plan.required, plan.preferred);
  if (type) {
    info.memory_bytes = std::min<std::uint64_t>(
        of.memory.memoryHeaps[of.memory.memoryTypes[*type].heapIndex].size, max_memory);
  }
  if (given.memory_bytes) info.memory_bytes = std::min(info.memory_bytes, *given.memory_bytes);
  const bool cpu = of.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  if (cpu) info.host_cores = std::thread::hardware_concurrency();
  info.keeps_freed_blocks = true;
  info.imports_host_memory = cpu && given.import && of.import_alignment.has_value();
  if (info.imports_host_memory) info.alignment = std::max<std::size_t>(64, *of.import_alignment);
  // A region is bound from a place that is aligned, so that a little more than it has to fit.
  const std::uint64_t slack =
      2 * std::max<std::uint64_t>(limits.minStorageBufferOffsetAlignment, 8);
  info.largest_binding = limits.maxStorageBufferRange - slack;
  info.binding_unit = limits.minStorageBufferOffsetAlignment;
  info.lanes = 1;
  info.depth = 4;
  info.ahead = std::chrono::microseconds(200);
  guess_rates(info);
  return info;
}

}  // namespace hocket::vulkan
