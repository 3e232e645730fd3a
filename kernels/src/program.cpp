// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/kernels/program.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>

#include <boost/algorithm/string/trim.hpp>

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

declared_name declared(const std::string& parameter) {
  const std::size_t blank = parameter.find_last_of(" \t\n");
  if (blank == std::string::npos) return {"", parameter};
  return {boost::algorithm::trim_copy(parameter.substr(0, blank)), parameter.substr(blank + 1)};
}

std::string mark(const kernel_definition& kernel, const kernel_source& source) {
  if (source.place.empty()) return {};
  std::string name = kernel.name + " (" + source.place + ")";
  std::ranges::replace_if(
      name, [](char c) { return c == '"' || c == '\\' || c == '\n'; }, '/');
  return "\n#line 1 \"" + name + "\"\n";
}

std::string marked(const kernel_definition& kernel, const kernel_source& source,
                   const std::string& text) {
  if (source.place.empty() || text.empty()) return text;
  // A backslash at the end of the text joins this empty line to it, and not what follows.
  return mark(kernel, source) + text + "\n";
}

std::vector<program_buffer> buffers_of(const kernel_definition& kernel, const kernel_source& source,
                                       const program_variant& variant) {
  std::vector<program_buffer> made;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const parameter& p = kernel.parameters[i];
    if (p.is != parameter::kind::buffer) continue;
    const declared_name its = declared(source.names[i]);
    made.push_back({its.name, is_structure(p.type) ? its.type : type_name(p.type),
                    writes_content(p.mode), variant.ranks[made.size()], p.rank == any_rank});
  }
  if (kernel.result) {
    const element_type type = source.result_in_words ? element_type::u32 : *kernel.result;
    made.push_back({source.names.back(), type_name(type), true, variant.ranks[made.size()], false});
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
  if (has_rounds(source)) text += define("ROUND", in.word(at));
  return text;
}

}  // namespace detail

namespace {

/// The conversions of binary16 and brain16 in core/float16.hpp, step for step.
constexpr std::string_view f16_functions = R"(
f32 hocket_from_f16(u16 from) {
  u32 bits = AS(u32, from);
  u32 magnitude = bits & 0x7fffu;
  u32 tiny = FLOAT_BITS(AS(f32, magnitude) * 5.9604644775390625e-8f);
  u32 normal = (magnitude << 13u) + (magnitude < 0x7c00u ? 0x38000000u : 0x70000000u);
  return BITS_FLOAT((magnitude < 0x0400u ? tiny : normal) | ((bits & 0x8000u) << 16u));
}
u16 hocket_to_f16(f32 from) {
  u32 bits = FLOAT_BITS(from);
  u32 magnitude = bits & 0x7fffffffu;
  u32 tiny = FLOAT_BITS(BITS_FLOAT(magnitude) + 0.5f) - 0x3f000000u;
  u32 normal = (magnitude - 0x38000000u + 0x0fffu + ((magnitude >> 13u) & 1u)) >> 13u;
  u32 rounded = magnitude < 0x38800000u ? tiny : normal;
  u32 special = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
  return AS(u16, (magnitude < 0x47800000u ? rounded : special) | ((bits >> 16u) & 0x8000u));
}
#define F16_FLOAT(x) hocket_from_f16(x)
#define FLOAT_F16(x) hocket_to_f16(x)
)";

constexpr std::string_view bf16_functions = R"(
u16 hocket_to_bf16(f32 from) {
  u32 bits = FLOAT_BITS(from);
  u32 rounded = (bits + 0x7fffu + ((bits >> 16u) & 1u)) >> 16u;
  u32 nan_of_sign = 0x7fc0u | ((bits >> 16u) & 0x8000u);
  return AS(u16, (bits & 0x7fffffffu) > 0x7f800000u ? nan_of_sign : rounded);
}
#define BF16_FLOAT(x) BITS_FLOAT(AS(u32, x) << 16u)
#define FLOAT_BF16(x) hocket_to_bf16(x)
)";

/// The conversions of conversions8 in core/float8.hpp, step for step, by the same constants.
constexpr std::string_view f8_functions = R"(
f32 hocket_from_f8(u8 from, u32 shift, u32 bias, u32 special, u32 special_bias, f32 least_step) {
  u32 bits = AS(u32, from);
  u32 magnitude = bits & 0x7fu;
  u32 tiny = FLOAT_BITS(AS(f32, magnitude) * least_step);
  u32 normal = (magnitude << shift) + (magnitude < special ? bias : special_bias);
  bool is_tiny = magnitude < (1u << (23u - shift));
  return BITS_FLOAT((is_tiny ? tiny : normal) | ((bits & 0x80u) << 24u));
}
u8 hocket_to_f8(f32 from, u32 shift, u32 bias, u32 overflow, u32 nan, u32 beyond, f32 one_step) {
  u32 bits = FLOAT_BITS(from);
  u32 magnitude = bits & 0x7fffffffu;
  u32 tiny = FLOAT_BITS(BITS_FLOAT(magnitude) + one_step) - FLOAT_BITS(one_step);
  u32 half_less_one = (1u << (shift - 1u)) - 1u;
  u32 normal = (magnitude - bias + half_less_one + ((magnitude >> shift) & 1u)) >> shift;
  u32 rounded = magnitude < bias + 0x800000u ? tiny : normal;
  u32 special = magnitude > 0x7f800000u ? nan : beyond;
  return AS(u8, (magnitude < overflow ? rounded : special) | ((bits >> 24u) & 0x80u));
}
)";

std::string hexadecimal(std::uint32_t word) {
  std::string digits;
  for (int at = 28; at >= 0; at -= 4) digits += "0123456789abcdef"[word >> at & 0xfU];
  return "0x" + digits + "u";
}

/// The conversions of one format by those functions.
template <class Format>
std::string f8_macros(const std::string& name) {
  const auto bits_of = [](float number) {
    return "BITS_FLOAT(" + hexadecimal(std::bit_cast<std::uint32_t>(number)) + ")";
  };
  const std::string common =
      std::to_string(Format::shift) + "u, " + hexadecimal(Format::bias) + ", ";
  return detail::define(name + "_FLOAT(x)", "hocket_from_f8(x, " + common +
                                                hexadecimal(Format::first_special) + ", " +
                                                hexadecimal(Format::bias_of_special) + ", " +
                                                bits_of(Format::least_step) + ")") +
         detail::define("FLOAT_" + name + "(x)",
                        "hocket_to_f8(x, " + common + hexadecimal(Format::overflow) + ", " +
                            hexadecimal(Format::nan) + ", " + hexadecimal(Format::beyond_greatest) +
                            ", " + bits_of(Format::one_step_apart) + ")");
}

/// The type in which a text sees elements of that type, where it is another one.
element_type stored_as(element_type type) {
  switch (type) {
    case element_type::f16:
    case element_type::bf16:
      return element_type::u16;
    case element_type::boolean:
    case element_type::f8e4m3:
    case element_type::f8e5m2:
      return element_type::u8;
    case element_type::c64:
      return element_type::f32;
    case element_type::c128:
      return element_type::f64;
    default:
      return type;
  }
}

}  // namespace

std::string detail::narrow_float_functions(const std::set<element_type>& types) {
  std::string text;
  if (types.contains(element_type::f16)) text += f16_functions;
  if (types.contains(element_type::bf16)) text += bf16_functions;
  const bool has_e4m3 = types.contains(element_type::f8e4m3);
  const bool has_e5m2 = types.contains(element_type::f8e5m2);
  if (has_e4m3 || has_e5m2) text += f8_functions;
  if (has_e4m3) text += f8_macros<detail::ocp_e4m3>("F8E4M3");
  if (has_e5m2) text += f8_macros<detail::ocp_e5m2>("F8E5M2");
  return text;
}

std::set<element_type> types_used(const kernel_definition& kernel, const kernel_source& source) {
  std::set<element_type> types;
  const auto add = [&](element_type type) { types.insert({type, stored_as(type)}); };
  std::ranges::for_each(source.types, add);
  for (const parameter& p : kernel.parameters) add(p.type);
  if (kernel.result && !source.result_in_words) add(*kernel.result);
  return types;
}

bool uses_type(const kernel_definition& kernel, const kernel_source& source, element_type type) {
  if (source.native) return false;
  const auto is_it = [type](element_type used) { return used == type || stored_as(used) == type; };
  return std::ranges::any_of(source.types, is_it) ||
         std::ranges::any_of(kernel.parameters, is_it, &parameter::type) ||
         (kernel.result && !source.result_in_words && is_it(*kernel.result));
}

}  // namespace hocket
