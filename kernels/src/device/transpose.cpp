// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <algorithm>
#include <string>

#include <hocket/kernels/expression.hpp>

#include "bodies.hpp"

namespace hocket::detail {

namespace {

constexpr std::size_t transposed_edge = 16;

/// So many groups or work-items at most, each of which takes several tiles then: devices refuse
/// more groups than they can count.
constexpr std::size_t most_at_once = 16384;

/// For GPUs: neighbouring work-items read neighbouring elements, and write such.
constexpr const char* transpose_shared_text = R"(
uint m = a_extent0;
uint n = a_extent1;
uint across = (n + 15u) / 16u;
uint tiles = (m + 15u) / 16u * across;
uint near = LOCAL_ITEM(0) % 16u;
uint far = LOCAL_ITEM(0) / 16u;
for (uint t = GROUP(0); t < tiles; t += ITEMS0 / 256u) {
  uint first_i = t / across * 16u;
  uint first_j = t % across * 16u;
  if (first_i + far < m && first_j + near < n) {
    tile[far * 17u + near] = a(first_i + far, first_j + near);
  }
  BARRIER();
  if (first_i + near < m && first_j + far < n) {
    b(first_j + far, first_i + near) = tile[near * 17u + far];
  }
  BARRIER();
}
)";

constexpr const char* transpose_text = R"(
uint m = a_extent0;
uint n = a_extent1;
uint across = (n + 15u) / 16u;
uint tiles = (m + 15u) / 16u * across;
for (uint t = ITEM(0); t < tiles && ITEM(0) < ITEMS0; t += ITEMS0) {
  uint first_i = t / across * 16u;
  uint first_j = t % across * 16u;
  for (uint j = first_j; j < min(first_j + 16u, n); ++j) {
    for (uint i = first_i; i < min(first_i + 16u, m); ++i) b(j, i) = a(i, j);
  }
}
)";

/// So many work-items for each tile.
std::function<grid(const launch_shape&)> tiles_of(std::size_t items) {
  return [items](const launch_shape& shape) {
    const std::size_t down = (shape[0][0] + transposed_edge - 1) / transposed_edge;
    const std::size_t across = (shape[0][1] + transposed_edge - 1) / transposed_edge;
    return grid{std::min(down * across, most_at_once) * items, 1, 1};
  };
}

}  // namespace

std::vector<kernel_source> transpose_bodies(element_type of) {
  const std::vector<std::string> names = {"a", "b"};
  const kernel_pass shared = {transpose_shared_text,
                              {transposed_edge * transposed_edge, 1, 1},
                              tiles_of(transposed_edge * transposed_edge),
                              {type_name(of) + std::string(" tile[16 * 17]")}};
  const kernel_pass tiles = {transpose_text, {8, 1, 1}, tiles_of(1)};
  std::vector<kernel_source> made;
  for (const kernel_format format : body_formats) {
    made.push_back({format, names, {shared}, {}, {}, {device_style::gpu}});
    if (!has_cpu_styles(format)) continue;
    made.push_back(
        {format,
         names,
         {tiles},
         {},
         {},
         {device_style::cpu_compiler, device_style::cpu_lanes, device_style::cpu_switching}});
  }
  return made;
}

}  // namespace hocket::detail
