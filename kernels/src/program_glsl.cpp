// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <set>
#include <string_view>

#include "program_text.hpp"

namespace hocket {

namespace {

using detail::argument_macros, detail::buffers_of, detail::program_buffer, detail::type_name;

std::string glsl_word(std::size_t at) { return "hocket_word" + std::to_string(at); }

/// The words of the argument block, taken once: a driver that does not move loads out of loops pays
/// for one in each turn, and lavapipe's pays as much for it as for a load of an element.
std::string glsl_words(std::size_t count) {
  std::string text;
  for (std::size_t at = 0; at < count; ++at) {
    text += "const uint " + glsl_word(at) + " = hocket_words[" + std::to_string(at) + "];\n";
  }
  return text;
}

std::string glsl_scalar(element_type type, std::size_t at) {
  const std::string name(type_name(type));
  if (size_of(type) == 8) {
    const std::string reads = type == element_type::f64   ? "packDouble2x32"
                              : type == element_type::i64 ? "i64(packUint2x32"
                                                          : "packUint2x32";
    return reads + "(uvec2(" + glsl_word(at) + ", " + glsl_word(at + 1) +
           (type == element_type::i64 ? ")))" : "))");
  }
  if (type == element_type::f32) return "uintBitsToFloat(" + glsl_word(at) + ")";
  // Through int, so that a negative number keeps its sign.
  return name + (type == element_type::u32 ? "(" : "(int(") + glsl_word(at) +
         (type == element_type::u32 ? ")" : "))");
}

constexpr std::string_view glsl_prelude = R"(
#define f32 float
#define f64 double
#define i8 int8_t
#define u8 uint8_t
#define i16 int16_t
#define u16 uint16_t
#define i32 int
#define u32 uint
#define i64 int64_t
#define u64 uint64_t
#define c64 vec2
#define c128 dvec2
#define AS(type, x) (type(x))
#define ITEM(d) gl_GlobalInvocationID[d]
#define LOCAL_ITEM(d) gl_LocalInvocationID[d]
#define GROUP(d) gl_WorkGroupID[d]
#define BARRIER() barrier()
#define FLOAT_BITS(x) floatBitsToUint(x)
#define BITS_FLOAT(x) uintBitsToFloat(x)
)";

std::string glsl_extensions(const std::set<element_type>& types) {
  std::string text =
      "#extension GL_EXT_control_flow_attributes : enable\n"
      "#extension GL_KHR_shader_subgroup_ballot : enable\n";
  const auto require = [&](const char* name) {
    text += std::string("#extension ") + name + " : require\n";
  };
  const auto any = [&](std::size_t bytes) {
    return std::ranges::any_of(types, [&](element_type t) {
      return t >= element_type::i8 && t <= element_type::u64 && size_of(t) == bytes;
    });
  };
  if (any(1)) {
    require("GL_EXT_shader_8bit_storage");
    require("GL_EXT_shader_explicit_arithmetic_types_int8");
  }
  if (any(2)) {
    require("GL_EXT_shader_16bit_storage");
    require("GL_EXT_shader_explicit_arithmetic_types_int16");
  }
  if (any(8)) require("GL_EXT_shader_explicit_arithmetic_types_int64");
  return text;
}

}  // namespace

std::string glsl_program(const kernel_definition& kernel, const kernel_source& source,
                         std::size_t pass, const program_variant& variant, argument_block block) {
  const kernel_pass& p = source.passes[pass];
  const std::vector<program_buffer> buffers = buffers_of(kernel, source, variant);
  const std::set<element_type> types = types_used(kernel, source);
  std::string text = "#version 450\n" + glsl_extensions(types);
  if (!source.place.empty()) {
    text += "#extension GL_GOOGLE_cpp_style_line_directive : require\n";
  }
  text += glsl_prelude;
  text += detail::narrow_float_functions(types) +
          detail::marked(kernel, source, source.structures) + "\n";
  text += "layout(local_size_x = " + std::to_string(p.local[0]) +
          ", local_size_y = " + std::to_string(p.local[1]) +
          ", local_size_z = " + std::to_string(p.local[2]) + ") in;\n";
  std::size_t binding = 0;
  const auto bind = [&](const char* how, const std::string& content) {
    const std::string number = std::to_string(binding++);
    text += "layout(set = 0, binding = " + number + ", std430) " + how + "buffer hocket_binding" +
            number + " { " + content + " };\n";
  };
  for (const program_buffer& b : buffers) {
    bind(b.written ? "" : "readonly ", b.type + " " + b.name + "_[];");
  }
  if (source.scratch) bind("", "uint scratch[];");
  const std::size_t word_count = argument_words(kernel, source, variant);
  const std::string words = "uint hocket_words[" + std::to_string(word_count) + "];";
  if (block == argument_block::storage_buffer) {
    bind("readonly ", words);
  } else {
    text += "layout(push_constant, std430) uniform hocket_arguments { " + words + " };\n";
  }
  text += detail::marked(kernel, source, source.functions) + "\n";
  for (const std::string& declared : p.shared) text += "shared " + declared + ";\n";
  text += argument_macros(kernel, source, buffers, {glsl_word, glsl_scalar});
  return text + "void main() {\n" + glsl_words(word_count) +
         detail::marked(kernel, source, p.text) + "\n}\n";
}

}  // namespace hocket
