// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include "bodies.hpp"

#include "double_functions.hpp"

namespace hocket::detail {

std::string real_macros(element_type real, kernel_format format) {
  const bool single = real == element_type::f32;
  std::string text = define("REAL", single ? "f32" : "f64") +
                     define("NOT_A_NUMBER", "AS(REAL, BITS_FLOAT(0x7fc00000u))");
  if (format == kernel_format::opencl_c) {
    return text + define("REAL16", single ? "float16" : "double16") + define("EXP(v)", "exp(v)") +
           define("LOG(v)", "log(v)");
  }
  if (single) return text + define("EXP(v)", "exp(v)") + define("LOG(v)", "log(v)");
  return text + define("EXP(v)", "hocket_exp(v)") + define("LOG(v)", "hocket_log(v)") +
         std::string(glsl_double_functions);
}

void add_both(std::vector<kernel_source>& to, element_type real,
              const std::vector<std::string>& names, const kernel_pass& pass,
              const std::string& functions, const std::vector<device_style>& styles) {
  for (const kernel_format format : {kernel_format::opencl_c, kernel_format::glsl}) {
    to.push_back({format, names, {pass}, real_macros(real, format) + functions, {}, styles});
  }
}

}  // namespace hocket::detail
