// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <hocket/core/error.hpp>
#include <hocket/kernels/argument.hpp>
#include <hocket/kernels/source.hpp>

// What the handles of the APIs point to, as their own headers declare it.
struct _cl_command_queue;   // NOLINT(bugprone-reserved-identifier)
struct _cl_context;         // NOLINT(bugprone-reserved-identifier)
struct _cl_device_id;       // NOLINT(bugprone-reserved-identifier)
struct VkCommandBuffer_T;   // NOLINT(readability-identifier-naming)
struct VkDevice_T;          // NOLINT(readability-identifier-naming)
struct VkInstance_T;        // NOLINT(readability-identifier-naming)
struct VkPhysicalDevice_T;  // NOLINT(readability-identifier-naming)
struct CUctx_st;            // NOLINT(readability-identifier-naming)
struct CUstream_st;         // NOLINT(readability-identifier-naming)
struct ihipStream_t;        // NOLINT(readability-identifier-naming)

namespace hocket {

/// A region of a buffer in the memory of a device, as its API knows it. Strides are in elements.
struct native_buffer {
  void* object = nullptr;      ///< a cl_mem or a VkBuffer; with CUDA and HIP, an address
  bool is_address = false;     ///< what object is
  std::size_t first_byte = 0;  ///< of the region, behind the beginning of the object
  element_type type = element_type::f32;
  index_list extents;
  index_list strides;
};

/// A region of a buffer as native bodies take it. What it names is the device's for as long as the
/// body's commands run. A region without elements has no object.
template <class T, std::size_t R = 1>
class native_view {
 public:
  explicit native_view(const native_buffer& of) : of_(of) {}

  /// The object that the region lies in: object<cl_mem>(), object<VkBuffer>().
  template <class Handle>
  requires std::is_pointer_v<Handle>
  [[nodiscard]] Handle object() const noexcept { return static_cast<Handle>(of_.object); }

  /// The address of the region's first element on the device, with CUDA and HIP. Throws usage_error
  /// with other APIs, whose objects have no address.
  [[nodiscard]] T* data() const {
    if (of_.object != nullptr && !of_.is_address) {
      throw usage_error(
          "native_view::data() is for CUDA and HIP; objects of other APIs have no "
          "address.");
    }
    return reinterpret_cast<T*>(static_cast<std::byte*>(of_.object) + of_.first_byte);
  }

  /// Where the region begins in its object, in bytes and in elements. Memory of the program may
  /// begin between two elements of its object: first() throws usage_error then.
  [[nodiscard]] std::size_t first_byte() const noexcept { return of_.first_byte; }
  [[nodiscard]] std::size_t first() const {
    if (of_.first_byte % sizeof(T) == 0) return of_.first_byte / sizeof(T);
    throw usage_error("A region begins " + std::to_string(of_.first_byte) +
                      " bytes behind its object's beginning, which is no whole number of "
                      "elements of " +
                      std::to_string(sizeof(T)) + " bytes.");
  }

  [[nodiscard]] std::size_t extent(std::size_t d) const noexcept { return of_.extents[d]; }
  [[nodiscard]] std::size_t stride(std::size_t d) const noexcept { return of_.strides[d]; }
  [[nodiscard]] std::size_t size() const noexcept { return volume(of_.extents); }

 private:
  native_buffer of_;
};

/// Where a body for OpenCL enqueues its commands. Commands of the queue run in order.
struct opencl_place {
  _cl_context* context;      ///< a cl_context
  _cl_device_id* device;     ///< a cl_device_id
  _cl_command_queue* queue;  ///< a cl_command_queue
};

/// Where a body for Vulkan records its commands. Buffers may be used by compute shaders and
/// transfers; what was written before is visible to both, and what they write to whatever follows.
struct vulkan_place {
  VkInstance_T* instance;               ///< a VkInstance
  VkPhysicalDevice_T* physical_device;  ///< a VkPhysicalDevice
  VkDevice_T* device;                   ///< a VkDevice
  VkCommandBuffer_T* commands;          ///< a VkCommandBuffer, which was begun
  std::uint32_t queue_family;           ///< that it will be submitted to
  std::vector<std::shared_ptr<const void>>* kept;

  /// Keeps what the commands use, such as pipelines and descriptor pools, until they have ended.
  /// What a program keeps for longer has to go before the device does, whose end nothing tells.
  void keep(std::shared_ptr<const void> used) const { kept->push_back(std::move(used)); }
};

/// Where a body for CUDA enqueues its commands. The context is current in the calling thread, and
/// has to be so when the body returns.
struct cuda_place {
  CUctx_st* context;    ///< a CUcontext: the primary one of its device
  int device;           ///< a CUdevice
  CUstream_st* stream;  ///< a CUstream, which is a cudaStream_t
};

/// Where a body for HIP enqueues its commands. The device is current in the calling thread, and has
/// to be so when the body returns.
struct hip_place {
  int device;            ///< a hipDevice_t
  ihipStream_t* stream;  ///< a hipStream_t
};

/// Everything a native body is given for one launch, in signature order as for host_launch. The
/// place is that of the body's format.
struct native_launch {
  const void* place;
  std::span<const native_buffer> buffers;
  std::span<const scalar_argument> scalars;
};

/// A body that enqueues commands of a device's API by itself, or lets another library do it: takes
/// the place of its API, and then the parameters in signature order, numbers by value, buffers as
/// native_view<const T, R> if they are read and native_view<T, R> if they are written, and a
/// returned value as native_view<T> at the end.
///
/// The commands run after those before them in the task graph, and the task ends when they have
/// ended; the body itself returns at once. The place is valid during the call.
///
/// Any thread calls the body, under a lock of all devices of its driver: a body that takes long,
/// for example because a library compiles its kernels in its first call, holds up all of them. The
/// body must neither wait for its commands nor use the runtime. Several devices may call it at
/// once. What it throws is the failure of its task; commands that it has enqueued by then may still
/// run.
///
/// Where a lost or late launch is run again, a body that captures nothing, plain values or pointers
/// is called again, as texts are. One whose captures own something (are not trivially copyable) is
/// called once, unless a loss cut it off; what it wrote is kept only where the host has it,
/// otherwise what depends on it fails.
template <class F>
struct opencl_body {
  static constexpr kernel_format format = kernel_format::opencl_commands;
  using place = opencl_place;
  F call;
};
template <class F>
opencl_body(F) -> opencl_body<F>;

/// As opencl_body.
template <class F>
struct vulkan_body {
  static constexpr kernel_format format = kernel_format::vulkan_commands;
  using place = vulkan_place;
  F call;
};
template <class F>
vulkan_body(F) -> vulkan_body<F>;

/// As opencl_body.
template <class F>
struct cuda_body {
  static constexpr kernel_format format = kernel_format::cuda_commands;
  using place = cuda_place;
  F call;
};
template <class F>
cuda_body(F) -> cuda_body<F>;

/// As opencl_body.
template <class F>
struct hip_body {
  static constexpr kernel_format format = kernel_format::hip_commands;
  using place = hip_place;
  F call;
};
template <class F>
hip_body(F) -> hip_body<F>;

/// One of the four above.
template <class B>
concept native_body = requires(B body) {
  typename B::place;
  { B::format } -> std::convertible_to<kernel_format>;
  body.call;
};

}  // namespace hocket
