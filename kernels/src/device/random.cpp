// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <string>

#include <hocket/core/shape.hpp>

#include "../define.hpp"
#include "bodies.hpp"

namespace hocket::detail {

namespace {

/// Philox4x32-10, as in philox.hpp, with the counter k.
constexpr const char* philox_functions = R"(
u32 hocket_high(u32 a, u32 b) {
  u32 low_a = a & 0xffffu, high_a = a >> 16u, low_b = b & 0xffffu, high_b = b >> 16u;
  u32 first = high_a * low_b + ((low_a * low_b) >> 16u);
  u32 second = low_a * high_b + (first & 0xffffu);
  return high_a * high_b + (first >> 16u) + (second >> 16u);
}
)";

/// A work-item makes the numbers of one counter after another.
constexpr const char* philox_text = R"(
uint last = x_count / EACH;
for (uint k = ITEM(0); k <= last; k += ITEMS0) {
  u32 c0 = k, c1 = 0u, c2 = 0u, c3 = 0u, key0 = seed, key1 = stream;
  for (uint round = 0u; round < 10u; ++round) {
    u32 high0 = hocket_high(0xd2511f53u, c0), low0 = 0xd2511f53u * c0;
    u32 high1 = hocket_high(0xcd9e8d57u, c2), low1 = 0xcd9e8d57u * c2;
    c0 = high1 ^ c1 ^ key0;
    c1 = low1;
    c2 = high0 ^ c3 ^ key1;
    c3 = low0;
    key0 += 0x9e3779b9u;
    key1 += 0xbb67ae85u;
  }
  uint i = k * EACH;
)";

std::vector<kernel_source> philox_bodies(const std::string& macros, std::size_t each,
                                         const std::vector<std::string>& values) {
  std::string whole = philox_text;
  for (std::size_t v = 0; v < each; ++v) {
    const std::string at = "i + " + std::to_string(v) + "u";
    whole += "  if (" + at + " < x_count) x(" + at + ") = " + values[v] + ";\n";
  }
  const auto items = [each](const launch_shape& shape) {
    constexpr std::size_t most = std::size_t{1} << 18;
    return grid{std::min(volume(shape[0]) / each + 1, most), 1, 1};
  };
  std::vector<kernel_source> made;
  for (const kernel_format format : body_formats) {
    made.push_back({format,
                    {"seed", "stream", "x"},
                    {{whole + "}\n", {64, 1, 1}, items}},
                    philox_functions + define("EACH", std::to_string(each) + "u") + macros});
  }
  return made;
}

/// The upper bits of a word as a number from 0 to below 1.
std::string fraction(const std::string& word, int bits, const std::string& unit) {
  return "(AS(f32, " + word + " >> " + std::to_string(32 - bits) + "u) * " + unit + "f)";
}

}  // namespace

std::vector<kernel_source> random_uniform_bodies(element_type of) {
  if (of == element_type::f64) {
    const std::string macro =
        define("FRACTION(a, b)",
               "((AS(f64, (a) >> 5u) * AS(f64, 67108864.0f) + AS(f64, (b) >> 6u)) * "
               "AS(f64, 1.1102230246251565e-16f))");
    return philox_bodies(macro, 2, {"FRACTION(c0, c1)", "FRACTION(c2, c3)"});
  }
  std::vector<std::string> values;
  for (const char* const word : {"c0", "c1", "c2", "c3"}) {
    switch (of) {
      case element_type::f16:
        values.push_back("FLOAT_F16(" + fraction(word, 11, "4.8828125e-4") + ")");
        break;
      case element_type::bf16:
        values.push_back("FLOAT_BF16(" + fraction(word, 8, "0.00390625") + ")");
        break;
      case element_type::f32:
        values.push_back(fraction(word, 24, "5.9604644775390625e-8"));
        break;
      default:
        values.emplace_back(word);
    }
  }
  return philox_bodies("", 4, values);
}

std::vector<kernel_source> random_normal_bodies() {
  const std::string unit = "5.9604644775390625e-8";
  const std::string macro =
      // Devices know cosines best between -pi and pi, and may take the logarithm of a number just
      // below one for positive.
      define("TURN(b)", "(AS(f32, AS(i32, (b) >> 8u) - 8388608) * " + unit + "f)") +
      define("NORMAL(a, b)", "(sqrt(max(-2.0f * log(AS(f32, ((a) >> 8u) + 1u) * " + unit +
                                 "f), 0.0f)) * cos(6.2831853f * TURN(b)))");
  return philox_bodies(macro, 2, {"NORMAL(c0, c1)", "NORMAL(c2, c3)"});
}

}  // namespace hocket::detail
