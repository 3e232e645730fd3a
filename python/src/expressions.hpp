// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <nanobind/nanobind.h>

#include <hocket/kernels/definition.hpp>
#include <hocket/kernels/expression.hpp>
#include <string>

namespace hocket::python {

/// A value of a kernel, which Python code builds from its text.
struct text_value {
  detail::expression node;
  std::size_t depth = 0;  ///< how many operations follow on one another in it
};

/// A kernel that was made from a text.
struct text_kernel {
  kernel_ref definition;
};

/// The element type of numbers that texts compute with. Throws TypeError for others.
[[nodiscard]] element_type numbers_named(const std::string& dtype);

}  // namespace hocket::python
