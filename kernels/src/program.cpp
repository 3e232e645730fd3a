// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/kernels/program.hpp>

#include <algorithm>

#include "define.hpp"
#include "program_text.hpp"

namespace hocket {

namespace detail {

namespace {

/// The place of the element with the linear index i.
std::string linear_place(const program_buffer& b, const language& in, std::size_t extents,
                         std::size_t strides) {
  if (b.rank == 1) return "(i)";
  std::string sum;
  for (std::size_t d = 0; d < b.rank; ++d) {
    std::string index = "(i)";
    for (std::size_t inner = b.rank - 1; inner > d; --inner) {
      index = "(" + index + " / " + in.word(extents + inner) + ")";
    }
    if (d > 0) index = "(" + index + " % " + in.word(extents + d) + ")";
    if (d + 1 < b.rank) index += " * " + in.word(strides + d);
    sum += (sum.empty() ? "" : " + ") + index;
  }
  return sum;
}

/// x(i, j), x_extent(d) and x_count.
std::string access_macros(const program_buffer& b, const language& in, std::size_t offset) {
  const std::size_t extents = offset + 1, strides = extents + b.rank;
  std::string text = define(b.name + "_offset", in.word(offset));
  std::string count = "1u";
  for (std::size_t d = 0; d < b.rank; ++d) {
    text += define(b.name + "_extent" + std::to_string(d), in.word(extents + d));
    count = d == 0 ? in.word(extents) : count + " * " + in.word(extents + d);
  }
  for (std::size_t d = 0; d + 1 < b.rank; ++d) {
    text += define(b.name + "_stride" + std::to_string(d), in.word(strides + d));
  }
  text += define(b.name + "_count", "(" + count + ")");
  text += define(b.name + "_rank", std::to_string(b.rank));
  std::string indices, place;
  if (b.any_rank_wanted) {
    indices = "i";
    place = linear_place(b, in, extents, strides);
  } else {
    for (std::size_t d = 0; d < b.rank; ++d) {
      const std::string index = "i" + std::to_string(d);
      indices += (d == 0 ? "" : ", ") + index;
      place += (d == 0 ? "(" : " + (") + index + ")";
      if (d + 1 < b.rank) place += " * " + in.word(strides + d);
    }
  }
  if (place.empty()) place = "0u";
  return text + define(b.name + "(" + indices + ")",
                       b.name + "_[" + in.word(offset) + " + " + place + "]");
}

}  // namespace

std::vector<program_buffer> buffers_of(const kernel_definition& kernel, const kernel_source& source,
                                       const program_variant& variant) {
  std::vector<program_buffer> made;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const parameter& p = kernel.parameters[i];
    if (p.is != parameter::kind::buffer) continue;
    made.push_back({source.names[i], p.type, writes_content(p.mode), variant.ranks[made.size()],
                    p.rank == any_rank});
  }
  if (kernel.result) {
    const element_type type = source.result_in_words ? element_type::u32 : *kernel.result;
    made.push_back({source.names.back(), type, true, variant.ranks[made.size()], false});
  }
  return made;
}

std::string argument_macros(const kernel_definition& kernel, const kernel_source& source,
                            const std::vector<program_buffer>& buffers, const language& in) {
  std::string text;
  for (std::size_t d = 0; d < std::tuple_size_v<grid>; ++d) {
    text += define("ITEMS" + std::to_string(d), in.word(d));
  }
  std::size_t at = std::tuple_size_v<grid>;
  for (const program_buffer& b : buffers) {
    text += access_macros(b, in, at);
    at += b.rank == 0 ? 1 : 2 * b.rank;
  }
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const parameter& p = kernel.parameters[i];
    if (p.is != parameter::kind::scalar) continue;
    text += define(source.names[i], in.scalar(p.type, at));
    at += size_of(p.type) > sizeof(std::uint32_t) ? 2 : 1;
  }
  return text;
}

}  // namespace detail

std::set<element_type> types_used(const kernel_definition& kernel, const kernel_source& source) {
  std::set<element_type> types(source.types.begin(), source.types.end());
  for (const parameter& p : kernel.parameters) types.insert(p.type);
  if (kernel.result && !source.result_in_words) types.insert(*kernel.result);
  return types;
}

bool uses_type(const kernel_definition& kernel, const kernel_source& source, element_type type) {
  return std::ranges::find(source.types, type) != source.types.end() ||
         std::ranges::find(kernel.parameters, type, &parameter::type) != kernel.parameters.end() ||
         (kernel.result == type && !source.result_in_words);
}

}  // namespace hocket
