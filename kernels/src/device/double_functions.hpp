// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string_view>

namespace hocket::detail {

/// exp and log of double for GLSL, which has them for float alone. Good to a few units in the last
/// place.
inline constexpr std::string_view glsl_double_functions = R"(
double hocket_power_of_two(int n) { return packDouble2x32(uvec2(0u, uint(n + 1023) << 20)); }

double hocket_exp(double x) {
  if (!(x == x) || x > 709.79lf) return x == x ? packDouble2x32(uvec2(0u, 0x7ff00000u)) : x;
  if (x < -745.14lf) return 0.0lf;
  double n = floor(x * 1.4426950408889634lf + 0.5lf);
  double r = (x - n * 0.693147180369123816490lf) - n * 1.90821492927058770002e-10lf;
  double sum = 1.0lf;
  for (int k = 14; k > 0; --k) sum = 1.0lf + sum * r / double(k);
  int exponent = int(n);
  int half_of_it = exponent / 2;
  return sum * hocket_power_of_two(half_of_it) * hocket_power_of_two(exponent - half_of_it);
}

double hocket_log(double x) {
  if (!(x == x) || x < 0.0lf) return packDouble2x32(uvec2(0u, 0x7ff80000u));
  if (x == 0.0lf) return packDouble2x32(uvec2(0u, 0xfff00000u));
  int exponent = 0;
  if (x < 2.2250738585072014e-308lf) {
    x *= 18014398509481984.0lf;
    exponent = -54;
  }
  uvec2 bits = unpackDouble2x32(x);
  if (bits.y >= 0x7ff00000u) return x;
  exponent += int(bits.y >> 20) - 1023;
  double m = packDouble2x32(uvec2(bits.x, (bits.y & 0xfffffu) | 0x3ff00000u));
  if (m > 1.4142135623730951lf) {
    m *= 0.5lf;
    exponent += 1;
  }
  double f = (m - 1.0lf) / (m + 1.0lf);
  double square = f * f;
  double sum = 1.0lf / 27.0lf;
  for (int k = 25; k > 0; k -= 2) sum = sum * square + 1.0lf / double(k);
  double e = double(exponent);
  return e * 0.693147180369123816490lf + (2.0lf * f * sum + e * 1.90821492927058770002e-10lf);
}
)";

}  // namespace hocket::detail
