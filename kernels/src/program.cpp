// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/kernels/program.hpp>

#include <algorithm>
#include <string_view>

#include <hocket/kernels/expression.hpp>

namespace hocket {

namespace {

using detail::type_name;

/// A buffer of the program: a parameter, or the hidden result.
struct program_buffer {
  std::string name;
  element_type type;
  bool written;
  std::size_t rank;
  bool any_rank_wanted;
};

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

/// What differs between languages about the argument block.
struct language {
  std::string (*word)(std::size_t at);
  std::string (*scalar)(element_type type, std::size_t at);
};

std::string define(const std::string& what, const std::string& as) {
  return "#define " + what + " " + as + "\n";
}

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

std::string opencl_word(std::size_t at) { return "hocket_block.words[" + std::to_string(at) + "]"; }

std::string opencl_scalar(element_type type, std::size_t at) {
  const std::string name(type_name(type));
  if (size_of(type) == 8) {
    const std::string reads = type == element_type::f64   ? "as_double"
                              : type == element_type::i64 ? "as_long"
                                                          : "as_ulong";
    return reads + "((uint2)(" + opencl_word(at) + ", " + opencl_word(at + 1) + "))";
  }
  if (type == element_type::f32) return "as_float(" + opencl_word(at) + ")";
  return "((" + name + ")" + opencl_word(at) + ")";
}

constexpr std::string_view opencl_prelude = R"(
typedef float f32;
typedef char i8;
typedef uchar u8;
typedef short i16;
typedef ushort u16;
typedef int i32;
typedef uint u32;
typedef long i64;
typedef ulong u64;
#define AS(type, x) ((type)(x))
#define ITEM(d) ((uint)get_global_id(d))
#define LOCAL_ITEM(d) ((uint)get_local_id(d))
#define GROUP(d) ((uint)get_group_id(d))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define FLOAT_BITS(x) as_uint(x)
#define BITS_FLOAT(x) as_float(x)
)";

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
    return std::ranges::any_of(
        types, [&](element_type t) { return size_of(t) == bytes && t != element_type::f64; });
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

std::string opencl_program(const kernel_definition& kernel, const kernel_source& source,
                           std::size_t pass, const program_variant& variant) {
  const kernel_pass& p = source.passes[pass];
  const std::vector<program_buffer> buffers = buffers_of(kernel, source, variant);
  std::string text(opencl_prelude);
  if (types_used(kernel, source).contains(element_type::f64)) {
    text += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\ntypedef double f64;\n";
  }
  text += "typedef struct { uint words[" + std::to_string(argument_words(kernel, variant)) +
          "]; } hocket_arguments;\n";
  text += source.functions + "\n";
  text += argument_macros(kernel, source, buffers, {opencl_word, opencl_scalar});
  text += "__kernel __attribute__((reqd_work_group_size(" + std::to_string(p.local[0]) + ", " +
          std::to_string(p.local[1]) + ", " + std::to_string(p.local[2]) + ")))\nvoid hocket_main(";
  for (const program_buffer& b : buffers) {
    text += std::string("__global ") + (b.written ? "" : "const ") +
            std::string(type_name(b.type)) + "* " + b.name + "_, ";
  }
  if (source.scratch) text += "__global uint* scratch, ";
  text += "const hocket_arguments hocket_block) {\n";
  for (const std::string& declared : p.shared) text += "__local " + declared + ";\n";
  return text + p.text + "\n}\n";
}

std::string glsl_program(const kernel_definition& kernel, const kernel_source& source,
                         std::size_t pass, const program_variant& variant, argument_block block) {
  const kernel_pass& p = source.passes[pass];
  const std::vector<program_buffer> buffers = buffers_of(kernel, source, variant);
  std::string text = "#version 450\n" + glsl_extensions(types_used(kernel, source));
  text += glsl_prelude;
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
    bind(b.written ? "" : "readonly ", std::string(type_name(b.type)) + " " + b.name + "_[];");
  }
  if (source.scratch) bind("", "uint scratch[];");
  const std::size_t word_count = argument_words(kernel, variant);
  const std::string words = "uint hocket_words[" + std::to_string(word_count) + "];";
  if (block == argument_block::storage_buffer) {
    bind("readonly ", words);
  } else {
    text += "layout(push_constant, std430) uniform hocket_arguments { " + words + " };\n";
  }
  text += source.functions + "\n";
  for (const std::string& declared : p.shared) text += "shared " + declared + ";\n";
  text += argument_macros(kernel, source, buffers, {glsl_word, glsl_scalar});
  return text + "void main() {\n" + glsl_words(word_count) + p.text + "\n}\n";
}

}  // namespace hocket
