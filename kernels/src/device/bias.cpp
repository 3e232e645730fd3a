// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <algorithm>

#include <hocket/core/shape.hpp>

#include "bodies.hpp"

namespace hocket::detail {

namespace {

/// More work-items than any device runs at once; each takes several elements then.
constexpr std::size_t max_items = std::size_t{1} << 20;

/// One element after another.
constexpr const char* forward_text = R"(
uint columns = x_extent1;
uint count = x_extent0 * columns;
for (uint at = ITEM(0); at < count; at += ITEMS0) {
  uint i = at / columns;
  uint j = at - i * columns;
  REAL sum = x(i, j) + bias(j);
  y(i, j) = BOUND(sum);
}
)";

/// Some rows in a loop over columns, which the compiler of the device vectorises.
constexpr const char* forward_rows_text = R"(
uint columns = x_extent1;
uint each = ROWS_EACH(columns);
uint end = min(ITEM(0) * each + each, x_extent0);
for (uint i = ITEM(0) * each; i < end; ++i) {
  for (uint j = 0u; j < columns; ++j) {
    REAL sum = x(i, j) + bias(j);
    y(i, j) = BOUND(sum);
  }
}
)";

constexpr std::size_t elements_each = 4096;

std::size_t rows_each(std::size_t columns) {
  return std::max<std::size_t>(1, elements_each / std::max<std::size_t>(1, columns));
}

/// A column in one work-item, its rows in order. ADD adds an element's gradient to a sum.
constexpr const char* column_text = R"(
uint j = ITEM(0);
if (j < ITEMS0) {
  REAL sum = AS(REAL, 0);
  uint rows = dy_extent0;
  for (uint i = 0u; i < rows; ++i) { ADD(sum, i, j); }
  KEEP(j, sum);
}
)";

/// Sixteen columns in one vector.
constexpr const char* columns_text = R"(
uint first = ITEM(0) * 16u;
uint columns = dy_extent1;
uint rows = dy_extent0;
if (columns - first >= 16u) {
  REAL16 sums = (REAL16)(0);
  for (uint i = 0u; i < rows; ++i) { ADD16(sums, i, first); }
  REAL kept[16];
  vstore16(sums, 0, kept);
  for (uint c = 0u; c < 16u; ++c) { KEEP(first + c, kept[c]); }
} else {
  for (uint j = first; j < columns; ++j) {
    REAL sum = AS(REAL, 0);
    for (uint i = 0u; i < rows; ++i) { ADD(sum, i, j); }
    KEEP(j, sum);
  }
}
)";

constexpr const char* plain_macros = R"(
#define ADD(sum, i, j) sum += dy(i, j)
#define ADD16(sums, i, j) sums += vload16(0, &dy(i, j))
)";

constexpr const char* relu_macros = R"(
#define ADD(sum, i, j) \
  REAL given = y(i, j) <= AS(REAL, 0) ? AS(REAL, 0) : dy(i, j); dx(i, j) = given; sum += given
#define ADD16(sums, i, j) \
  REAL16 given = vload16(0, &y(i, j)) <= (REAL16)(0) ? (REAL16)(0) : vload16(0, &dy(i, j)); \
  vstore16(given, 0, &dx(i, j)); sums += given
)";

std::string keep_macro(access_mode mode) {
  return mode == access_mode::update ? define("KEEP(j, sum)", "dbias(j) = dbias(j) + (sum)")
                                     : define("KEEP(j, sum)", "dbias(j) = sum");
}

/// The sums of columns: of dy, the buffer `at` of the launch.
std::vector<kernel_source> column_bodies(element_type real, const std::vector<std::string>& names,
                                         std::size_t at, const std::string& macros) {
  std::vector<kernel_source> made;
  const auto each_column = [at](const launch_shape& shape) { return grid{shape[at][1], 1, 1}; };
  add_bodies(made, real, names, {column_text, {64, 1, 1}, each_column}, macros,
             {device_style::gpu});
  add_bodies(made, real, names, {column_text, {8, 1, 1}, each_column}, macros, lane_styles());
  const kernel_pass wide = {columns_text, {1, 1, 1}, [at](const launch_shape& shape) {
                              return grid{(shape[at][1] + 15) / 16, 1, 1};
                            }};
  made.push_back({kernel_format::opencl_c,
                  names,
                  {wide},
                  real_macros(real, kernel_format::opencl_c) + macros,
                  {},
                  {device_style::cpu_compiler}});
  return made;
}

}  // namespace

std::vector<kernel_source> bias_forward_bodies(element_type real, bool relu) {
  const std::vector<std::string> names = {"x", "bias", "y"};
  const std::string bound =
      define("BOUND(v)", relu ? "((v) <= AS(REAL, 0) ? AS(REAL, 0) : (v))" : "(v)");
  std::vector<kernel_source> made;
  const kernel_pass each = {forward_text, {64, 1, 1}, [](const launch_shape& shape) {
                              return grid{std::min(volume(shape[0]), max_items), 1, 1};
                            }};
  add_bodies(made, real, names, each, bound,
             {device_style::gpu, device_style::cpu_lanes, device_style::cpu_switching});
  const kernel_pass rows = {forward_rows_text, {1, 1, 1}, [](const launch_shape& shape) {
                              const std::size_t part = rows_each(shape[0][1]);
                              return grid{(shape[0][0] + part - 1) / part, 1, 1};
                            }};
  made.push_back({kernel_format::opencl_c,
                  names,
                  {rows},
                  real_macros(real, kernel_format::opencl_c) + bound +
                      define("ROWS_EACH(columns)",
                             "max(" + std::to_string(elements_each) + "u / max(columns, 1u), 1u)"),
                  {},
                  {device_style::cpu_compiler}});
  return made;
}

std::vector<kernel_source> bias_backward_bodies(element_type real, access_mode mode) {
  return column_bodies(real, {"dy", "dbias"}, 0, plain_macros + keep_macro(mode));
}

std::vector<kernel_source> bias_relu_backward_bodies(element_type real, access_mode mode) {
  return column_bodies(real, {"y", "dy", "dx", "dbias"}, 1, relu_macros + keep_macro(mode));
}

}  // namespace hocket::detail
