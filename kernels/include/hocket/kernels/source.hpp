// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <hocket/core/dtype.hpp>
#include <hocket/core/shape.hpp>

namespace hocket {

/// A language that a kernel's body can be written in, or an API whose commands it enqueues. A
/// kernel names the formats it has, a device those it takes.
enum class kernel_format : std::uint8_t {
  host,
  opencl_c,
  glsl,
  cuda_c,
  opencl_commands,
  vulkan_commands,
  cuda_commands,
  hip_commands
};

struct native_launch;

/// What a device is good at, for kernels that have several bodies in one format.
enum class device_style : std::uint8_t {
  gpu,           ///< thousands of work-items; shared memory and barriers are cheap
  cpu_compiler,  ///< a CPU whose compiler turns the work-items of a group into loops and vectors
  cpu_lanes,     ///< a CPU that runs some work-items of a group in the lanes of a vector
  cpu_switching  ///< the same, and a barrier costs more than what it saves
};

/// The extents of a launch's buffer arguments, in signature order, a hidden result last.
using launch_shape = std::vector<index_list>;

/// Three numbers: of work-items, or of groups.
using grid = std::array<std::size_t, 3>;

/// One dispatch of a kernel on a device.
struct kernel_pass {
  /// The statements of the body. See docs/kernel-text.md for what they may use.
  std::string text;

  /// Work-items of a group; at most 256 together.
  grid local{64, 1, 1};

  /// The work-items that are wanted, rounded up to whole groups. Empty: one for each element of the
  /// largest buffer.
  std::function<grid(const launch_shape&)> items = {};

  /// Declarations in memory that the work-items of a group share, such as "f32 tile[64]".
  std::vector<std::string> shared = {};

  /// How many times the pass runs before the next one begins: ROUND in its text counts from 0.
  /// Empty: once.
  std::function<std::size_t(const launch_shape&)> rounds = {};
};

/// A product of matrices, C = alpha A B + beta C. The buffers of its kernel are A, B and C; alpha
/// and beta are its numbers, or 1 and what stands here if it has none. With buffers of three
/// dimensions it is several products, whose number is the first index.
struct matrix_product {
  bool transpose_a = false, transpose_b = false;
  double beta = 0;
};

/// The body of a kernel in one format: text, whose passes run one after another, or a function that
/// enqueues commands.
struct kernel_source {
  kernel_format format = kernel_format::opencl_c;

  /// What the text calls the parameters, in signature order, and the result last if there is one.
  std::vector<std::string> names;

  std::vector<kernel_pass> passes;

  /// Functions and macros that the passes use. Functions do not see the parameters.
  std::string functions = {};

  /// How many words of 32 bits the passes share as `scratch[]`. Empty: none.
  std::function<std::size_t(const launch_shape&)> scratch = {};

  /// The devices that this body is for. Empty: all that read the format.
  std::vector<device_style> styles = {};

  /// The types of elements that the text uses besides those of the parameters.
  std::vector<element_type> types = {};

  /// The text sees the result as words of 32 bits, so that the device need not know its type.
  bool result_in_words = false;

  /// The product that the text computes, where a library of the device may do so in its place.
  std::optional<matrix_product> product = {};
  /// The definitions of the structures that elements are. The name of a buffer of them has the name
  /// of their type before it, as in "particle x".
  std::string structures = {};

  /// Where the text stands, such as "heat.cpp:95", for messages of compilers. Empty: they tell
  /// lines of the whole program that is made of the text.
  std::string place = {};

  /// The body where the format is that of commands; see native.hpp. Such a body has no passes.
  std::function<void(const native_launch&)> native = {};
};

}  // namespace hocket
