// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include "bodies.hpp"

namespace hocket::detail {

namespace {

/// One row or column in one work-item, its elements in order.
constexpr const char* checksum_text = R"(
uint at = ITEM(0);
if (at < ITEMS0) {
  REAL sum = AS(REAL, 0);
  REAL bound = AS(REAL, 0);
  uint count = COUNT;
  for (uint k = 0u; k < count; ++k) {
    REAL value = ELEMENT(at, k);
    sum += value * x(k);
    bound += (value < AS(REAL, 0) ? -value : value) * w(k);
  }
  y(at) = sum;
  z(at) = bound;
}
)";

}  // namespace

std::vector<kernel_source> checksum_bodies(element_type real, bool of_columns) {
  const std::vector<std::string> names = {"a", "x", "w", "y", "z"};
  const std::string macros =
      of_columns ? define("COUNT", "a_extent0") + define("ELEMENT(at, k)", "a(k, at)")
                 : define("COUNT", "a_extent1") + define("ELEMENT(at, k)", "a(at, k)");
  const auto items = [of_columns](const launch_shape& shape) {
    return grid{shape[0][of_columns ? 1 : 0], 1, 1};
  };
  std::vector<kernel_source> made;
  add_bodies(made, real, names, {checksum_text, {64, 1, 1}, items}, macros, {device_style::gpu});
  add_bodies(made, real, names, {checksum_text, {8, 1, 1}, items}, macros,
             {device_style::cpu_compiler, device_style::cpu_lanes, device_style::cpu_switching});
  return made;
}

}  // namespace hocket::detail
