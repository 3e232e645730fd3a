// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

namespace hocket {

// Handles are void*, so that no header of an API is needed: all of these are pointers.

/// A context of OpenCL that the program has made, in which Hocket then works instead of one of its
/// own: kernels, samplers and memory objects of the program can be used in an opencl_body. All
/// devices of the context are used through it; none is split.
struct opencl_context {
  void* context = nullptr;  ///< a cl_context; it is retained until the runtime has ended
};

/// A device of Vulkan that the program has made, which Hocket then uses instead of one of its own:
/// pipelines and buffers of the program can be used in a vulkan_body. It was made with Vulkan 1.2
/// or later, and with the feature timelineSemaphore.
struct vulkan_device {
  void* instance = nullptr;
  void* physical_device = nullptr;
  void* device = nullptr;
  /// A VkQueue of a family that computes. The program does not use it before the runtime has ended.
  void* queue = nullptr;
  std::uint32_t queue_family = 0;
  /// Features that the device was made with: shaderFloat64, shaderInt64, shaderInt16 with
  /// storageBuffer16BitAccess, shaderInt8 with storageBuffer8BitAccess. Without them kernels that
  /// need these types run elsewhere.
  bool float64 = false, int64 = false, int16 = false, int8 = false;
  /// Kept until the runtime has ended; may destroy the device then.
  std::shared_ptr<const void> owner = {};
};

/// A context of CUDA that the program has made, in which Hocket then works instead of the primary
/// one of its device: modules and memory of the program can be used in a cuda_body. The program
/// keeps it until the runtime has ended.
struct cuda_context {
  void* context = nullptr;  ///< a CUcontext
};

/// Objects of an API that runtime_options::adopted gives to its backend.
using adopted_context = std::variant<opencl_context, vulkan_device, cuda_context>;
using adopted_contexts = std::vector<adopted_context>;

/// The name of the backend that can use it.
[[nodiscard]] constexpr std::string_view backend_of(const adopted_context& context) noexcept {
  constexpr std::array<std::string_view, std::variant_size_v<adopted_context>> backends{
      "opencl", "vulkan", "cuda"};
  return backends[context.index()];
}

/// True if the backend that is called so is to use one of them.
[[nodiscard]] inline bool any_of_backend(const adopted_contexts& contexts, std::string_view name) {
  return std::ranges::any_of(contexts,
                             [&](const adopted_context& each) { return backend_of(each) == name; });
}

}  // namespace hocket
