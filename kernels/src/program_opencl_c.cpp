// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <set>
#include <string_view>

#include "program_text.hpp"

namespace hocket {

namespace {

using detail::argument_macros, detail::buffers_of, detail::program_buffer, detail::type_name;

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
typedef float2 c64;
#define AS(type, x) ((type)(x))
#define ITEM(d) ((uint)get_global_id(d))
#define LOCAL_ITEM(d) ((uint)get_local_id(d))
#define GROUP(d) ((uint)get_group_id(d))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define FLOAT_BITS(x) as_uint(x)
#define BITS_FLOAT(x) as_float(x)
)";

}  // namespace

std::string opencl_program(const kernel_definition& kernel, const kernel_source& source,
                           std::size_t pass, const program_variant& variant) {
  const kernel_pass& p = source.passes[pass];
  const std::vector<program_buffer> buffers = buffers_of(kernel, source, variant);
  std::string text(opencl_prelude);
  const std::set<element_type> types = types_used(kernel, source);
  if (types.contains(element_type::f64)) {
    text +=
        "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
        "typedef double f64;\ntypedef double2 c128;\n";
  }
  text += detail::narrow_float_functions(types) +
          detail::marked(kernel, source, source.structures) + "\n";
  text += "typedef struct { uint words[" + std::to_string(argument_words(kernel, source, variant)) +
          "]; } hocket_arguments;\n";
  text += detail::marked(kernel, source, source.functions) + "\n";
  text += argument_macros(kernel, source, buffers, {opencl_word, opencl_scalar});
  text += "__kernel __attribute__((reqd_work_group_size(" + std::to_string(p.local[0]) + ", " +
          std::to_string(p.local[1]) + ", " + std::to_string(p.local[2]) + ")))\nvoid hocket_main(";
  for (const program_buffer& b : buffers) {
    text += std::string("__global ") + (b.written ? "" : "const ") + b.type + "* " + b.name + "_, ";
  }
  if (source.scratch) text += "__global uint* scratch, ";
  text += "const hocket_arguments hocket_block) {\n";
  for (const std::string& declared : p.shared) text += "__local " + declared + ";\n";
  return text + detail::marked(kernel, source, p.text) + "\n}\n";
}

}  // namespace hocket
