// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/dlpack.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <hocket/core/error.hpp>

namespace hocket::detail {

namespace {

namespace codes = dlpack::type_codes;
namespace places = dlpack::device_types;

struct type_pair {
  element_type type;
  std::uint8_t code;
};

/// The number of bits is that of the element.
constexpr std::array known_types = {
    type_pair{element_type::i8, codes::signed_integer},
    type_pair{element_type::i16, codes::signed_integer},
    type_pair{element_type::i32, codes::signed_integer},
    type_pair{element_type::i64, codes::signed_integer},
    type_pair{element_type::u8, codes::unsigned_integer},
    type_pair{element_type::u16, codes::unsigned_integer},
    type_pair{element_type::u32, codes::unsigned_integer},
    type_pair{element_type::u64, codes::unsigned_integer},
    type_pair{element_type::f16, codes::floating},
    type_pair{element_type::f32, codes::floating},
    type_pair{element_type::f64, codes::floating},
    type_pair{element_type::bf16, codes::brain},
    type_pair{element_type::c64, codes::complex},
    type_pair{element_type::c128, codes::complex},
    type_pair{element_type::boolean, codes::boolean},
    type_pair{element_type::f8e4m3, codes::float8_e4m3fn},
    type_pair{element_type::f8e5m2, codes::float8_e5m2},
};

std::size_t bits_of(element_type type) { return 8 * size_of(type); }

std::optional<element_type> type_of(const dlpack::data_type& given) {
  for (const type_pair& each : known_types) {
    if (each.code == given.code && bits_of(each.type) == given.bits) return each.type;
  }
  return std::nullopt;
}

std::string name_of(const dlpack::device& given) {
  struct named {
    std::int32_t type;
    std::string_view name;
  };
  constexpr std::array names = {named{places::cuda, "CUDA"},
                                named{places::opencl, "OpenCL"},
                                named{places::vulkan, "Vulkan"},
                                named{places::metal, "Metal"},
                                named{places::rocm, "ROCm"},
                                named{places::rocm_host, "host memory of ROCm"},
                                named{places::cuda_managed, "CUDA, managed"},
                                named{places::oneapi, "oneAPI"}};
  std::string text = "device type " + std::to_string(given.device_type);
  for (const named& each : names) {
    if (each.type == given.device_type) text += " (" + std::string(each.name) + ")";
  }
  return text + ", number " + std::to_string(given.device_id);
}

/// The numbers of a tensor in one line: "3, -4".
std::string listed(const std::int64_t* numbers, std::size_t count) {
  std::string text;
  for (std::size_t d = 0; d < count; ++d) {
    text += (d == 0 ? "" : ", ") + std::to_string(numbers[d]);
  }
  return text;
}

void check_type(const dlpack::data_type& given, element_type wanted) {
  if (given.lanes != 1) {
    throw usage_error("A DLPack tensor has elements of " + std::to_string(given.lanes) +
                      " lanes; those of a buffer have 1.");
  }
  const std::optional<element_type> found = type_of(given);
  if (!found) {
    throw usage_error(
        "A DLPack tensor has elements of type code " + std::to_string(given.code) + " with " +
        std::to_string(given.bits) +
        " bits, which no buffer holds; a buffer holds integers of 8 to 64 bits, float "
        "and complex of 32 and 64 bits for each part, float16, bfloat16, float8_e4m3fn, "
        "float8_e5m2 and bool.");
  }
  if (*found != wanted) {
    throw usage_error("A DLPack tensor has elements of " + to_string(*found) +
                      ", and is to be a buffer of " + to_string(wanted) + ".");
  }
}

index_list extents_of(const dlpack::tensor& given) {
  const auto rank = static_cast<std::size_t>(given.ndim);
  if (rank != 0 && given.shape == nullptr) {
    throw usage_error("A DLPack tensor of " + std::to_string(rank) +
                      " dimensions has no shape (null).");
  }
  index_list extents(rank, 0);
  for (std::size_t d = 0; d < rank; ++d) {
    if (given.shape[d] < 0) {
      throw usage_error("A DLPack tensor has the extents " + listed(given.shape, rank) +
                        "; none may be negative.");
    }
    extents[d] = static_cast<std::size_t>(given.shape[d]);
  }
  if (volume(extents) == 0) {
    throw usage_error("A DLPack tensor of the extents " + listed(given.shape, rank) +
                      " has no elements; a buffer needs one at least.");
  }
  return extents;
}

/// In a dimension of one element any stride is as good, and libraries write what they like: that of
/// the next longer one lets the rows follow one another.
index_list strides_of(const dlpack::tensor& given, const index_list& extents) {
  if (given.strides == nullptr) return dense_strides(extents);
  index_list strides(extents.size(), 0);
  std::size_t outer = 0;  // none
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] > 1 && given.strides[d] < 0) {
      throw usage_error("A DLPack tensor has the strides " + listed(given.strides, extents.size()) +
                        ", and a buffer none that are negative.");
    }
    if (extents[d] > 1) outer = static_cast<std::size_t>(given.strides[d]);
    strides[d] = outer;
  }
  const std::size_t last = extents.size() - 1;
  if (extents[last] == 1) strides[last] = 1;
  // No longer dimension stands before the first ones of one element.
  for (std::size_t d = last; d-- > 0;) {
    if (extents[d] == 1 && strides[d] == 0) strides[d] = strides[d + 1] * extents[d + 1];
  }
  return strides;
}

}  // namespace

void refuse_no_tensor() { throw usage_error("from_dlpack is given no tensor (null)."); }

void check_version(dlpack::version_number given) {
  constexpr std::uint32_t known = 1;
  if (given.major == known) return;
  throw usage_error("A DLPack tensor is of version " + std::to_string(given.major) + "." +
                    std::to_string(given.minor) + "; versions " + std::to_string(known) +
                    ".x are known here.");
}

dlpack_memory memory_of(const dlpack::tensor& given, element_type type, std::size_t rank) {
  const std::int32_t where = given.device.device_type;
  if (where != places::cpu && where != places::cuda_host) {
    throw usage_error("A DLPack tensor lies on " + name_of(given.device) +
                      "; a buffer lies over memory of the host, which is device type 1 (CPU) or 3 "
                      "(pinned by CUDA).");
  }
  check_type(given.dtype, type);
  const bool is_scalar = given.ndim == 0 && rank == 1;
  if (!is_scalar && given.ndim != static_cast<std::int32_t>(rank)) {
    throw usage_error("A DLPack tensor has " + std::to_string(given.ndim) +
                      " dimensions, and is to be a buffer of " + std::to_string(rank) + ".");
  }
  dlpack_memory made{};
  made.extents = is_scalar ? index_list(1, 1) : extents_of(given);
  made.strides = is_scalar ? index_list(1, 1) : strides_of(given, made.extents);
  if (given.data != nullptr) made.first = static_cast<std::byte*>(given.data) + given.byte_offset;
  return made;
}

dlpack::data_type dlpack_type_of(element_type type) noexcept {
  dlpack::data_type made{0, static_cast<std::uint8_t>(bits_of(type)), 1};
  for (const type_pair& each : known_types) {
    if (each.type == type) made.code = each.code;
  }
  return made;
}

}  // namespace hocket::detail
