// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <set>
#include <string>
#include <vector>

#include <hocket/kernels/expression.hpp>
#include <hocket/kernels/program.hpp>

namespace hocket::detail {

// What the programs of all languages have in common. Each language is one file, program_<name>.cpp.

/// The name of a parameter in a source: "x", or "particle x" where elements are structures.
struct declared_name {
  std::string type;  ///< empty where there is none
  std::string name;
};
[[nodiscard]] declared_name declared(const std::string& parameter);

/// A buffer of the program: a parameter, or the hidden result.
struct program_buffer {
  std::string name;
  std::string type;  ///< of an element
  bool written;
  std::size_t rank;
  bool any_rank_wanted;
};

[[nodiscard]] std::vector<program_buffer> buffers_of(const kernel_definition& kernel,
                                                     const kernel_source& source,
                                                     const program_variant& variant);

/// The directive by which compilers count lines of a program anew, with the kernel and the place of
/// the source as the name of the file. Empty where the source has no place.
[[nodiscard]] std::string mark(const kernel_definition& kernel, const kernel_source& source);

/// A part of the source as it stands in the program: compilers tell its lines apart from others,
/// with the kernel and the place of the source.
[[nodiscard]] std::string marked(const kernel_definition& kernel, const kernel_source& source,
                                 const std::string& text);

/// The conversions between float and those of the types that have 16 bits.
[[nodiscard]] std::string narrow_float_functions(const std::set<element_type>& types);

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
