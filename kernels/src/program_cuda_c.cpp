// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <set>
#include <string_view>

#include "program_text.hpp"

namespace hocket {

namespace {

using detail::argument_macros, detail::buffers_of, detail::program_buffer, detail::type_name;

std::string cuda_word(std::size_t at) { return "hocket_block.words[" + std::to_string(at) + "]"; }

std::string cuda_scalar(element_type type, std::size_t at) {
  const std::string name(type_name(type));
  if (type == element_type::f64) {
    return "BITS_DOUBLE(" + cuda_word(at) + ", " + cuda_word(at + 1) + ")";
  }
  if (size_of(type) == 8) {
    return "((" + name + ")((u64)" + cuda_word(at + 1) + " << 32 | " + cuda_word(at) + "))";
  }
  if (type == element_type::f32) return "BITS_FLOAT(" + cuda_word(at) + ")";
  return "((" + name + ")" + cuda_word(at) + ")";
}

/// The numbers of work-items are read by functions: a macro would be changed by one of a parameter
/// that has the name of a member, such as x. Functions without an annotation are for the device,
/// which is an option of the compiler.
constexpr std::string_view cuda_prelude = R"(
typedef float f32;
typedef double f64;
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float2 c64;
typedef double2 c128;
typedef unsigned int uint;
__forceinline__ uint hocket_local_item(int d) {
  return d == 0 ? threadIdx.x : d == 1 ? threadIdx.y : threadIdx.z;
}
__forceinline__ uint hocket_group(int d) {
  return d == 0 ? blockIdx.x : d == 1 ? blockIdx.y : blockIdx.z;
}
__forceinline__ uint hocket_item(int d) {
  uint items = d == 0 ? blockDim.x : d == 1 ? blockDim.y : blockDim.z;
  return hocket_group(d) * items + hocket_local_item(d);
}
#define AS(type, x) ((type)(x))
#define ITEM(d) hocket_item(d)
#define LOCAL_ITEM(d) hocket_local_item(d)
#define GROUP(d) hocket_group(d)
#define BARRIER() __syncthreads()
#define FLOAT_BITS(x) __float_as_uint(x)
#define BITS_FLOAT(x) __uint_as_float(x)
#define BITS_DOUBLE(low, high) __hiloint2double((int)(high), (int)(low))
)";

}  // namespace

std::string cuda_program(const kernel_definition& kernel, const kernel_source& source,
                         std::size_t pass, const program_variant& variant) {
  const kernel_pass& p = source.passes[pass];
  const std::vector<program_buffer> buffers = buffers_of(kernel, source, variant);
  std::string text(cuda_prelude);
  text += detail::narrow_float_functions(types_used(kernel, source)) +
          detail::marked(kernel, source, source.structures) + "\n";
  text += "struct hocket_arguments { uint words[" +
          std::to_string(argument_words(kernel, source, variant)) + "]; };\n";
  text += detail::marked(kernel, source, source.functions) + "\n";
  text += argument_macros(kernel, source, buffers, {cuda_word, cuda_scalar});
  text += "extern \"C\" __global__ void __launch_bounds__(" +
          std::to_string(p.local[0] * p.local[1] * p.local[2]) + ")\nhocket_main(";
  for (const program_buffer& b : buffers) {
    text += (b.written ? "" : "const ") + b.type + "* " + b.name + "_, ";
  }
  if (source.scratch) text += "uint* scratch, ";
  // Where a text leaves a brace open, NVRTC names no place but that of the brace it cannot match,
  // which is this one.
  const std::string mark = detail::mark(kernel, source);
  text += "const hocket_arguments hocket_block)" + (mark.empty() ? " " : mark) + "{\n";
  for (const std::string& declared : p.shared) text += "__shared__ " + declared + ";\n";
  return text + detail::marked(kernel, source, p.text) + "\n}\n";
}

}  // namespace hocket
