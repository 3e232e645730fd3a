// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include "native_copies.hpp"

#include <array>
#include <initializer_list>
#include <stdexcept>
#include <string>

#include <dlfcn.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <vulkan/vulkan_core.h>

namespace hocket::testing {

namespace {

/// A function of the first of these libraries that the process has opened.
template <class F>
F* function_of(std::initializer_list<const char*> libraries, const char* name) {
  for (const char* const each : libraries) {
    void* const library = dlopen(each, RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) continue;
    void* const found = dlsym(library, name);
    if (found != nullptr) return reinterpret_cast<F*>(found);
  }
  throw std::runtime_error(std::string("no library has ") + name);
}

void check(int code, const char* what) {
  if (code != 0) throw std::runtime_error(std::string(what) + " says " + std::to_string(code));
}

/// One end of a copy: with CUDA and HIP the object is an address.
struct place_of_bytes {
  void* object;
  std::size_t first_byte;

  [[nodiscard]] std::byte* address() const { return static_cast<std::byte*>(object) + first_byte; }
};

template <class T, std::size_t R>
place_of_bytes row_of(const native_view<T, R>& view, std::size_t row) {
  const std::size_t ahead = R == 1 ? 0 : row * view.stride(0) * sizeof(T);
  return {view.template object<void*>(), view.first_byte() + ahead};
}

void copy(const opencl_place& on, const place_of_bytes& from, const place_of_bytes& to,
          std::size_t bytes) {
  static auto* const call =
      function_of<decltype(clEnqueueCopyBuffer)>({"libOpenCL.so.1"}, "clEnqueueCopyBuffer");
  check(call(on.queue, static_cast<cl_mem>(from.object), static_cast<cl_mem>(to.object),
             from.first_byte, to.first_byte, bytes, 0, nullptr, nullptr),
        "clEnqueueCopyBuffer");
}

void copy(const vulkan_place& on, const place_of_bytes& from, const place_of_bytes& to,
          std::size_t bytes) {
  static const auto of_instance = reinterpret_cast<PFN_vkGetInstanceProcAddr>(
      function_of<void()>({"libvulkan.so.1"}, "vkGetInstanceProcAddr"));
  const auto of_device =
      reinterpret_cast<PFN_vkGetDeviceProcAddr>(of_instance(on.instance, "vkGetDeviceProcAddr"));
  const auto call = reinterpret_cast<PFN_vkCmdCopyBuffer>(of_device(on.device, "vkCmdCopyBuffer"));
  const VkBufferCopy region{from.first_byte, to.first_byte, bytes};
  call(on.commands, static_cast<VkBuffer>(from.object), static_cast<VkBuffer>(to.object), 1,
       &region);
}

void copy(const cuda_place& on, const place_of_bytes& from, const place_of_bytes& to,
          std::size_t bytes) {
  static auto* const call = function_of<int(void*, void*, std::size_t, CUstream_st*)>(
      {"libcuda.so.1"}, "cuMemcpyDtoDAsync_v2");
  check(call(to.address(), from.address(), bytes, on.stream), "cuMemcpyDtoDAsync");
}

void copy(const hip_place& on, const place_of_bytes& from, const place_of_bytes& to,
          std::size_t bytes) {
  static auto* const call = function_of<int(void*, void*, std::size_t, ihipStream_t*)>(
      {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"}, "hipMemcpyDtoDAsync");
  check(call(to.address(), from.address(), bytes, on.stream), "hipMemcpyDtoDAsync");
}

}  // namespace

native_copy native_copy_kernel(const std::function<void()>& called) {
  const auto rows = [called](const auto& on, const native_view<const std::uint32_t, 2>& from,
                             const native_view<std::uint32_t, 2>& to) {
    for (std::size_t row = 0; row < from.extent(0); ++row) {
      copy(on, row_of(from, row), row_of(to, row), from.extent(1) * sizeof(std::uint32_t));
    }
    called();
  };
  return native_copy{"native copy"}
      .with(opencl_body{rows})
      .with(vulkan_body{rows})
      .with(cuda_body{rows})
      .with(hip_body{rows});
}

kernel<returns<std::uint32_t>, in_buffer<std::uint32_t, 2>> native_first_kernel() {
  const auto first = [](const auto& on, const native_view<const std::uint32_t, 2>& from,
                        const native_view<std::uint32_t>& result) {
    copy(on, row_of(from, 0), row_of(result, 0), sizeof(std::uint32_t));
  };
  return kernel<returns<std::uint32_t>, in_buffer<std::uint32_t, 2>>{"native first"}
      .with(opencl_body{first})
      .with(vulkan_body{first})
      .with(cuda_body{first})
      .with(hip_body{first});
}

}  // namespace hocket::testing
