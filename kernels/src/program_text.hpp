// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>
#include <vector>

#include <hocket/kernels/expression.hpp>
#include <hocket/kernels/program.hpp>

namespace hocket::detail {

// What the programs of all languages have in common. Each language is one file, program_<name>.cpp.

/// A buffer of the program: a parameter, or the hidden result.
struct program_buffer {
  std::string name;
  element_type type;
  bool written;
  std::size_t rank;
  bool any_rank_wanted;
};

[[nodiscard]] std::vector<program_buffer> buffers_of(const kernel_definition& kernel,
                                                     const kernel_source& source,
                                                     const program_variant& variant);

/// What differs between languages about the argument block.
struct language {
  std::string (*word)(std::size_t at);
  std::string (*scalar)(element_type type, std::size_t at);
};

/// The macros with which a body names its arguments: x(i, j), x_extent(d), x_count, scalars.
[[nodiscard]] std::string argument_macros(const kernel_definition& kernel,
                                          const kernel_source& source,
                                          const std::vector<program_buffer>& buffers,
                                          const language& in);

}  // namespace hocket::detail
