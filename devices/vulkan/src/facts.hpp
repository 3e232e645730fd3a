// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <hocket/devices/adopted.hpp>
#include <hocket/devices/device.hpp>

#include "instance.hpp"
#include "options.hpp"

namespace hocket::vulkan {

/// What a driver says of one of its devices, as far as it matters here.
struct facts {
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkPhysicalDeviceProperties properties{};
  VkPhysicalDeviceMemoryProperties memory{};
  VkDriverId driver{};
  std::string name;         ///< of the device
  std::string driver_text;  ///< name and version of the driver
  std::string pci;          ///< the address, sortable; empty: not known
  std::uint64_t largest_allocation = 0;
  bool float64 = false, int64 = false, int16 = false, int8 = false;  ///< with their storage
  std::optional<std::size_t> import_alignment;  ///< of host memory, where that can be imported
  std::uint32_t compute_family = 0;
  std::uint32_t transfer_family = 0;  ///< the same where there is none for transfers alone
  std::uint32_t compute_queues = 0;   ///< how many the compute family has
  std::uint32_t timestamp_bits = 0;   ///< of the compute family
};

/// The features that kernels may use, in the structures that the API has them in.
struct feature_chain {
  feature_chain() = default;
  feature_chain(const feature_chain&) = delete;
  feature_chain& operator=(const feature_chain&) = delete;

  VkPhysicalDevice16BitStorageFeatures storage16 = structure<VkPhysicalDevice16BitStorageFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES);
  VkPhysicalDeviceVulkan12Features v12 = structure<VkPhysicalDeviceVulkan12Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &storage16);
  VkPhysicalDeviceFeatures2 all =
      structure<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v12);
};

/// The devices of an instance that the backend can use, in its order: GPUs before CPUs, by their
/// PCI addresses where they have some. Adds a sentence for each other one.
[[nodiscard]] std::vector<facts> usable_devices(const instance& of,
                                                std::vector<std::string>* left_out = nullptr);

/// The physical device of the given one, as far as that has been made to use it. of: its instance.
/// Throws usage_error if it cannot be used.
[[nodiscard]] facts facts_of(const instance& of, const vulkan_device& given);

/// A device that can be connected.
struct found_device {
  facts about;
  std::size_t number = 0;
  options given;
  std::optional<vulkan_device> adopted = {};  ///< the program's, if it is to be used
};

/// True if both are the same device, as far as its driver lets one tell.
[[nodiscard]] bool same(const facts& a, const facts& b);

/// What the memories of a device are like.
struct memory_plan {
  bool mapped = false;                 ///< the host addresses the device's memory
  VkMemoryPropertyFlags required = 0;  ///< of allocations
  VkMemoryPropertyFlags preferred = 0;
};
[[nodiscard]] memory_plan plan_memory(const facts& of, const options& given);

/// The type among those in `allowed` that has all that is required and most of what is preferred.
[[nodiscard]] std::optional<std::uint32_t> memory_type(
    const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t allowed,
    VkMemoryPropertyFlags required, VkMemoryPropertyFlags preferred);

[[nodiscard]] device_info describe(const facts& of, std::size_t number, const options& given);

}  // namespace hocket::vulkan
