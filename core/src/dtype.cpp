// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/core/dtype.hpp>

namespace hocket {

std::string to_string(element_type type) {
  switch (type) {
    case element_type::f32:
      return "float";
    case element_type::f64:
      return "double";
    case element_type::i8:
      return "int8";
    case element_type::u8:
      return "uint8";
    case element_type::i16:
      return "int16";
    case element_type::u16:
      return "uint16";
    case element_type::i32:
      return "int32";
    case element_type::u32:
      return "uint32";
    case element_type::i64:
      return "int64";
    case element_type::u64:
      return "uint64";
    case element_type::f16:
      return "float16";
    case element_type::bf16:
      return "bfloat16";
    case element_type::c64:
      return "complex<float>";
    case element_type::c128:
      return "complex<double>";
    case element_type::boolean:
      return "bool";
    case element_type::f8e4m3:
      return "float8_e4m3";
    case element_type::f8e5m2:
      return "float8_e5m2";
    case element_type::structures:
      break;
  }
  return std::to_string(size_of(type)) + " bytes";
}

}  // namespace hocket
