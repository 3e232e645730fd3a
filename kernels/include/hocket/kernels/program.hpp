// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <hocket/core/result.hpp>
#include <hocket/kernels/definition.hpp>

namespace hocket {

/// A buffer argument of a launch on a device: a region of a dense, row-major array.
struct device_argument {
  element_type type = element_type::f32;
  const index_list* extents = nullptr;  ///< of the whole array
  const box* region = nullptr;
};

/// What a program is compiled for besides its source: how many indices the place of an element
/// takes in each buffer. A buffer of any rank is seen with as few as its region allows.
struct program_variant {
  std::vector<std::size_t> ranks;
  friend auto operator<=>(const program_variant&, const program_variant&) = default;
};

/// One dispatch: how many groups, and the words of its argument block.
struct lowered_pass {
  grid groups{1, 1, 1};
  std::vector<std::uint32_t> words;
  std::size_t pass = 0;  ///< of the source

  /// There is nothing to do where one of the numbers of groups is zero.
  [[nodiscard]] bool has_work() const noexcept {
    return std::ranges::find(groups, 0U) == groups.end();
  }
};

/// A launch in the terms of devices.
struct lowered_launch {
  program_variant variant;
  std::vector<lowered_pass> passes;  ///< each round of each pass of the source; one if it is native
  std::size_t scratch_words = 0;
};

/// The first body that the device can use; null if there is none.
[[nodiscard]] const kernel_source* source_for(const kernel_definition& kernel, kernel_format format,
                                              device_style style);

/// The types of elements and numbers that a device must know to run this body.
[[nodiscard]] std::set<element_type> types_used(const kernel_definition& kernel,
                                                const kernel_source& source);

/// True if that type is among them. A native body uses none: what it enqueues is its own affair.
[[nodiscard]] bool uses_type(const kernel_definition& kernel, const kernel_source& source,
                             element_type type);

/// Works out what a launch means on a device. Buffers and scalars are in signature order, a hidden
/// result last. Fails where places of elements do not fit into 32 bits.
[[nodiscard]] result<lowered_launch> lower(const kernel_definition& kernel,
                                           const kernel_source& source,
                                           std::span<const device_argument> buffers,
                                           std::span<const scalar_argument> scalars);

/// For devices that are given a part of each array: says in the argument blocks at which element
/// of its part each buffer's region begins. One for each buffer.
void set_first_elements(lowered_launch& launch, std::span<const std::uint32_t> first);

/// True if a pass of the source says how many times it runs: argument blocks end with the round.
[[nodiscard]] bool has_rounds(const kernel_source& source);

/// How many words the argument block of a program has.
[[nodiscard]] std::size_t argument_words(const kernel_definition& kernel,
                                         const kernel_source& source,
                                         const program_variant& variant);

/// The whole text of a program in OpenCL C, with one function `hocket_main`. Its arguments: the
/// buffers in signature order, a hidden result, `scratch` if the source has any, then the argument
/// block by value.
[[nodiscard]] std::string opencl_program(const kernel_definition& kernel,
                                         const kernel_source& source, std::size_t pass,
                                         const program_variant& variant);

/// The whole text of a program in CUDA C, for a compiler that takes functions without an annotation
/// for functions of the device. The function and its arguments are those of opencl_program.
[[nodiscard]] std::string cuda_program(const kernel_definition& kernel, const kernel_source& source,
                                       std::size_t pass, const program_variant& variant);

/// Where a GLSL program finds its argument block.
enum class argument_block : std::uint8_t {
  push_constants,
  storage_buffer  ///< bound after all others, for blocks that are too long for push constants
};

/// The whole text of a program in GLSL. Set 0 binds the buffers in signature order, a hidden
/// result, `scratch` if the source has any, and then the argument block if it is a buffer.
[[nodiscard]] std::string glsl_program(const kernel_definition& kernel, const kernel_source& source,
                                       std::size_t pass, const program_variant& variant,
                                       argument_block block);

}  // namespace hocket
