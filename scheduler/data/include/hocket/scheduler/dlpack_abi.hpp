// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hocket::dlpack {

// The structures by which libraries of arrays lend one another memory, in the layout that DLPack
// publishes for its versions 1.x, and with the published names of the fields. A program that has
// <dlpack/dlpack.h> uses the structures of that header instead: see managed_structure.

struct version_number {
  std::uint32_t major;
  std::uint32_t minor;
};

/// Values of device::device_type that Hocket knows by name.
namespace device_types {
inline constexpr std::int32_t cpu = 1, cuda = 2, cuda_host = 3, opencl = 4, vulkan = 7, metal = 8,
                              rocm = 10, rocm_host = 11, cuda_managed = 13, oneapi = 14;
}

struct device {
  std::int32_t device_type;
  std::int32_t device_id;
};

/// Values of data_type::code that Hocket knows.
namespace type_codes {
inline constexpr std::uint8_t signed_integer = 0, unsigned_integer = 1, floating = 2, brain = 4,
                              complex = 5, boolean = 6, float8_e4m3fn = 10, float8_e5m2 = 12;
}

struct data_type {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct tensor {
  void* data;
  dlpack::device device;
  std::int32_t ndim;
  data_type dtype;
  std::int64_t* shape;
  std::int64_t* strides;  ///< in elements; null: row by row without gaps
  std::uint64_t byte_offset;
};

/// Of DLPack before 1.0, which many libraries still give out.
struct managed_tensor {
  tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(managed_tensor* self);
};

inline constexpr std::uint64_t flag_read_only = 1;

struct managed_tensor_versioned {
  version_number version;
  void* manager_ctx;
  void (*deleter)(managed_tensor_versioned* self);
  std::uint64_t flags;
  tensor dl_tensor;
};

static_assert(sizeof(device) == 8 && sizeof(data_type) == 4 && offsetof(data_type, lanes) == 2);
static_assert(sizeof(void*) != 8 ||
              (sizeof(tensor) == 48 && offsetof(tensor, device) == 8 &&
               offsetof(tensor, ndim) == 16 && offsetof(tensor, dtype) == 20 &&
               offsetof(tensor, shape) == 24 && offsetof(tensor, strides) == 32 &&
               offsetof(tensor, byte_offset) == 40));
static_assert(sizeof(void*) != 8 ||
              (sizeof(managed_tensor) == 64 && offsetof(managed_tensor, manager_ctx) == 48 &&
               offsetof(managed_tensor, deleter) == 56));
static_assert(sizeof(void*) != 8 || (sizeof(managed_tensor_versioned) == 80 &&
                                     offsetof(managed_tensor_versioned, manager_ctx) == 8 &&
                                     offsetof(managed_tensor_versioned, deleter) == 16 &&
                                     offsetof(managed_tensor_versioned, flags) == 24 &&
                                     offsetof(managed_tensor_versioned, dl_tensor) == 32));

/// A structure that owns a tensor: managed_tensor, managed_tensor_versioned, and the
/// DLManagedTensor and DLManagedTensorVersioned of <dlpack/dlpack.h>.
template <class M>
concept managed_structure = std::is_standard_layout_v<M> && requires(M& managed) {
  { managed.manager_ctx } -> std::same_as<void*&>;
  { managed.deleter } -> std::same_as<void (*&)(M*)>;
  { managed.dl_tensor.data } -> std::same_as<void*&>;
  { managed.dl_tensor.shape } -> std::same_as<std::int64_t*&>;
  { managed.dl_tensor.strides } -> std::same_as<std::int64_t*&>;
  { managed.dl_tensor.byte_offset } -> std::same_as<std::uint64_t&>;
  managed.dl_tensor.device.device_type;
  managed.dl_tensor.dtype.lanes;
};

/// One that has a version and flags.
template <class M>
concept versioned_structure = managed_structure<M> && requires(M& managed) {
  { managed.flags } -> std::same_as<std::uint64_t&>;
  { managed.version.major } -> std::same_as<std::uint32_t&>;
  { managed.version.minor } -> std::same_as<std::uint32_t&>;
};

static_assert(versioned_structure<managed_tensor_versioned>);
static_assert(managed_structure<managed_tensor> && !versioned_structure<managed_tensor>);

}  // namespace hocket::dlpack
