// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include "bodies.hpp"

#include <algorithm>

#include <hocket/kernels/expression.hpp>

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
  if (single || format == kernel_format::cuda_c) {
    return text + define("EXP(v)", "exp(v)") + define("LOG(v)", "log(v)");
  }
  return text + define("EXP(v)", "hocket_exp(v)") + define("LOG(v)", "hocket_log(v)") +
         std::string(glsl_double_functions);
}

std::string read_macros(element_type of) {
  if (is_computed_as_float(of)) {
    return define("READ(v)", widened_text(of, "v")) + define("WRITE(v)", narrowed_text(of, "v"));
  }
  return define("READ(v)", "(v)") + define("WRITE(v)", "(v)");
}

void add_bodies(std::vector<kernel_source>& to, element_type real,
                const std::vector<std::string>& names, const kernel_pass& pass,
                const std::string& functions, const std::vector<device_style>& styles) {
  const bool for_gpus =
      styles.empty() || std::ranges::find(styles, device_style::gpu) != styles.end();
  for (const kernel_format format : body_formats) {
    if (!for_gpus && !has_cpu_styles(format)) continue;
    to.push_back({format, names, {pass}, real_macros(real, format) + functions, {}, styles});
  }
}

}  // namespace hocket::detail
