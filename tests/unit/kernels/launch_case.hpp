// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <hocket/kernels/definition.hpp>
#include <hocket/kernels/kernel.hpp>
#include <hocket/kernels/program.hpp>

namespace hocket::testing {

/// A dense array of which a kernel is given a region.
struct device_array {
  element_type type;
  index_list whole;
  box region;
  std::vector<std::byte> bytes;

  [[nodiscard]] buffer_argument on_host();
  [[nodiscard]] device_argument on_device() const { return {type, &whole, &region}; }
  [[nodiscard]] double at(std::size_t position) const;
  void set(std::size_t position, double value);
  [[nodiscard]] std::size_t size() const { return volume(whole); }
};

/// An array of zeros whose region begins `padding` after the first element of each dimension and
/// ends that much before the last.
[[nodiscard]] device_array make_array(element_type type, const index_list& extents,
                                      std::size_t padding);

/// One launch of a kernel with its arguments.
struct launch_case {
  kernel_ref kernel;
  std::vector<device_array> buffers;
  std::vector<scalar_argument> scalars = {};
  double tolerance = 0;  ///< relative to the larger of one and the magnitude of a result

  /// Adds the hidden result, if the kernel has one.
  void complete();
  [[nodiscard]] launch_shape shape() const;
  [[nodiscard]] std::string name() const;
};

/// Runs the host body on a copy of the arrays and returns it.
[[nodiscard]] std::vector<device_array> run_on_host(const launch_case& launch);

/// The first difference of what a device made from what the host made; empty if there is none.
/// NaN equals NaN, and whole arrays are compared: nothing outside of the regions may change.
[[nodiscard]] std::string difference(const launch_case& launch,
                                     const std::vector<device_array>& device,
                                     const std::vector<device_array>& host);

/// A launch of each built-in kernel over element types, shapes, and regions of larger arrays, with
/// random values.
[[nodiscard]] std::vector<launch_case> built_in_cases(std::mt19937_64& random);

/// The same for families of lambdas that use what may be traced.
[[nodiscard]] std::vector<launch_case> traced_cases(std::mt19937_64& random);

}  // namespace hocket::testing
