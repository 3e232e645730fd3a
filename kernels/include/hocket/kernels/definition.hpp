// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hocket/core/access.hpp>
#include <hocket/core/dtype.hpp>
#include <hocket/kernels/argument.hpp>
#include <hocket/kernels/source.hpp>

namespace hocket {

namespace detail {
struct elementwise_lambda;
}

/// The name of the kernel of a function that was submitted without a label.
inline constexpr const char* unlabelled_function = "host function";

/// Any number of dimensions: the body gets a strided_view.
inline constexpr std::size_t any_rank = static_cast<std::size_t>(-1);

/// One parameter of a signature.
struct parameter {
  enum class kind : std::uint8_t { scalar, buffer };
  kind is = kind::buffer;
  element_type type = element_type::f32;
  access_mode mode = access_mode::read;  ///< of a buffer
  std::size_t rank = any_rank;           ///< of a buffer
};

/// Amounts that are about the same: the exponent of the power of two at the amount or below it.
[[nodiscard]] inline int size_class(double amount) noexcept {
  // The exponent of a normal number stands above 52 bits and is biased by 1023.
  return static_cast<int>(std::bit_cast<std::uint64_t>(std::max(amount, 1.0)) >> 52U) - 1023;
}

/// What one launch costs, for placement and for simulated time.
struct launch_work {
  double flops = 0;
  double bytes = 0;  ///< read and written in the device's memory

  /// For a kernel that gives no estimate: one more buffer that it uses. Its bytes count, and one
  /// operation for each element of the largest.
  void add_buffer(std::size_t elements, element_type type, access_mode mode) noexcept {
    const auto count = static_cast<double>(elements);
    const double passes = mode == access_mode::update ? 2 : 1;
    bytes += passes * count * static_cast<double>(size_of(type));
    flops = std::max(flops, count);
  }
  /// A number that launches have in common which are about as large.
  [[nodiscard]] int size() const noexcept { return size_class(std::max(flops, bytes)); }

  friend bool operator==(const launch_work&, const launch_work&) = default;
};

/// How much of a `cpu` device a host body takes: one lane, or the whole node.
enum class body_width : std::uint8_t { serial, wide };

struct kernel_definition;
using kernel_ref = std::shared_ptr<const kernel_definition>;

/// One kernel of a sequence.
struct kernel_part {
  kernel_ref kernel;

  /// Which arguments of the sequence it is given: buffers and scalars in the order of its own
  /// signature, each counted on its own, the buffer of its result last.
  std::vector<std::size_t> buffers = {};
  std::vector<std::size_t> scalars = {};

  /// False if it may run beside those since the last part that has to come after others.
  bool after_others = true;
};

/// A kernel without its C++ types: one name, one signature, a body in each format it has.
/// Immutable once it is shared.
struct kernel_definition {
  std::string name;
  std::vector<parameter> parameters;
  std::optional<element_type> result;  ///< of a kernel whose future carries a value

  /// The body in kernel_format::host; empty if there is none. May throw; the task then fails.
  std::function<void(const host_launch&)> host;

  /// Text bodies, in formats other than host. Of several for one device the first is taken.
  std::vector<kernel_source> sources;

  /// Throws usage_error if these extents do not fit together; empty means that any do.
  std::function<void(const launch_shape&)> check;

  /// Empty: the bytes of all buffers, one operation for each element of the largest.
  std::function<launch_work(const launch_shape&)> estimate;

  /// Empty: serial.
  std::function<body_width(const launch_shape&)> width;

  /// Not empty for a kernel that only calls others one after the other; see sequence.hpp. It has no
  /// sources: a device that is to run it launches the parts.
  std::vector<kernel_part> sequence;

  /// True if an argument that is read may be the same region as one that is written.
  bool in_place = false;

  /// True if results depend on where elements are in the region, as those of scans and random
  /// numbers do: launches of parts of the region give other results than one of all of it.
  bool positional = false;

  /// True if a function of the kernel has captures that may keep other objects alive, such as
  /// handles of buffers: tasks let go of such a kernel when they end.
  bool keeps_captures = false;

  /// Of a kernel that can be fused with others, what it does for each element; see fusion.hpp.
  std::shared_ptr<const detail::elementwise_lambda> lambda;

  [[nodiscard]] bool has(kernel_format format) const noexcept;
  [[nodiscard]] launch_work work_of(const launch_shape& shape) const;
  [[nodiscard]] body_width width_of(const launch_shape& shape) const;
};

namespace detail {

/// Throws usage_error unless all of these buffers have the same extents.
void require_equal_extents(const std::string& kernel, std::span<const index_list> shape);

}  // namespace detail

}  // namespace hocket
