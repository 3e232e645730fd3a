// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include "bodies.hpp"

namespace hocket::detail {

namespace {

/// A work-item solves for one row of X, or for one column, whose elements depend on one another.
constexpr const char* trsm_text = R"(
uint line = ITEM(0);
uint order = l_extent0;
if (line < ITEMS0) {
  for (uint step = 0u; step < order; ++step) {
    uint j = AT(step);
    REAL x = X_AT(line, j);
    for (uint k = 0u; k < step; ++k) x -= X_AT(line, AT(k)) * L_AT(j, AT(k));
    X_AT(line, j) = x / l(j, j);
  }
}
)";

}  // namespace

std::vector<kernel_source> trsm_bodies(const trsm_form& form) {
  const std::string macros = define("X_AT(p, j)", form.right ? "b(p, j)" : "b(j, p)") +
                             define("L_AT(j, k)", form.backward ? "l(k, j)" : "l(j, k)") +
                             define("AT(step)", form.backward ? "(order - 1u - (step))" : "(step)");
  const auto lines = [right = form.right](const launch_shape& shape) {
    return grid{shape[1][right ? 0 : 1], 1, 1};
  };
  std::vector<kernel_source> made;
  add_bodies(made, form.real, {"l", "b"}, {trsm_text, {64, 1, 1}, lines}, macros,
             {device_style::gpu});
  add_bodies(made, form.real, {"l", "b"}, {trsm_text, {8, 1, 1}, lines}, macros,
             {device_style::cpu_compiler, device_style::cpu_lanes, device_style::cpu_switching});
  return made;
}

}  // namespace hocket::detail
