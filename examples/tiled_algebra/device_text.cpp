// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "device_text.hpp"

#include <string>

#include "kernels.hpp"

namespace tiled {

using namespace hocket;

namespace {

// Products see A_AT(p, l), B_AT(l, q), which are elements of A and of B or its transpose, and
// FACTOR and NEEDED(p, q), by which blocks above the diagonal are left out.

/// For GPUs. A group of 16 x 16 work-items has a block of 64 x 64 elements of C, and shares what it
/// reads: 16 columns of A and rows of B at a time. Neighbours in memory are read by neighbours.
constexpr const char* shared_text = R"(
uint rows = c_extent1;
uint columns = c_extent0;
uint lp = LOCAL_ITEM(0);
uint lq = LOCAL_ITEM(1);
uint first_p = GROUP(0) * 64u;
uint first_q = GROUP(1) * 64u;
uint depth = NEEDED(first_p + 63u, first_q) ? a_extent0 : 0u;
f32 sums[16];
for (uint k = 0u; k < 16u; ++k) sums[k] = 0.0f;
for (uint first_l = 0u; first_l < depth; first_l += 16u) {
  for (uint k = lq * 16u + lp; k < 1024u; k += 256u) {
    uint at = k % 64u;
    uint l = first_l + k / 64u;
    f32 value = 0.0f;
    if (first_p + at < rows && l < depth) value = A_AT(first_p + at, l);
    tile_a[k] = value;
    value = 0.0f;
    if (first_q + at < columns && l < depth) value = B_AT(l, first_q + at);
    tile_b[k] = value;
  }
  BARRIER();
  for (uint l = 0u; l < 16u; ++l) {
    f32 left[4];
    f32 right[4];
    for (uint k = 0u; k < 4u; ++k) {
      left[k] = tile_a[l * 64u + lp + k * 16u];
      right[k] = tile_b[l * 64u + lq + k * 16u];
    }
    for (uint k = 0u; k < 16u; ++k) sums[k] += left[k % 4u] * right[k / 4u];
  }
  BARRIER();
}
for (uint k = 0u; k < 16u; ++k) {
  uint p = first_p + lp + k % 4u * 16u;
  uint q = first_q + lq + k / 4u * 16u;
  if (p < rows && q < columns) c(q, p) = c(q, p) + FACTOR * sums[k];
}
)";

/// For CPUs whose compiler knows OpenCL's vectors. A work-item has four columns of 16 rows, whose
/// sums and factors fit into the registers of AVX2.
constexpr const char* vector_text = R"(
uint p = ITEM(0) * 16u;
uint q = ITEM(1) * 4u;
uint rows = c_extent1;
uint columns = c_extent0;
uint last = columns - 1u;
if (p + 16u <= rows && q < columns && NEEDED(p + 15u, q)) {
  float8 upper[4];
  float8 lower[4];
  #pragma unroll
  for (uint k = 0u; k < 4u; ++k) upper[k] = lower[k] = (float8)(0.0f);
  for (uint l = 0u; l < a_extent0; ++l) {
    float8 left0 = vload8(0, &A_AT(p, l));
    float8 left1 = vload8(1, &A_AT(p, l));
    #pragma unroll
    for (uint k = 0u; k < 4u; ++k) {
      float8 right = (float8)(B_AT(l, min(q + k, last)));
      upper[k] = fma(left0, right, upper[k]);
      lower[k] = fma(left1, right, lower[k]);
    }
  }
  for (uint k = 0u; k < min(4u, columns - q); ++k) {
    __global f32* to = &c(q + k, p);
    vstore8(vload8(0, to) + FACTOR * upper[k], 0, to);
    vstore8(vload8(1, to) + FACTOR * lower[k], 1, to);
  }
} else if (q < columns) {
  for (uint k = 0u; k < min(4u, columns - q); ++k) {
    for (uint i = p; i < min(p + 16u, rows); ++i) {
      if (!NEEDED(i, q + k)) continue;
      f32 sum = 0.0f;
      for (uint l = 0u; l < a_extent0; ++l) sum += A_AT(i, l) * B_AT(l, q + k);
      c(q + k, i) = c(q + k, i) + FACTOR * sum;
    }
  }
}
)";

/// For GPUs. A work-item solves for one row of X, or for one column, whose elements depend on one
/// another.
constexpr const char* solve_text = R"(
uint line = ITEM(0);
uint count = t_extent0;
if (line < count) {
  for (uint j = 0u; j < count; ++j) {
    f32 x = X_AT(line, j);
    for (uint l = 0u; l < j; ++l) x -= X_AT(line, l) * T_AT(l, j);
    X_AT(line, j) = DIVIDED(x, j);
  }
}
)";

std::string define(const std::string& name, const std::string& text) {
  return "#define " + name + " " + text + "\n";
}

/// Work-items for C, the last argument: for each block of these extents so many in each direction.
std::function<grid(const launch_shape&)> blocks_of(std::size_t rows, std::size_t columns,
                                                   std::size_t items) {
  return [=](const launch_shape& shape) {
    const index_list& c = shape.back();
    return grid{(c[1] + rows - 1) / rows * items, (c[0] + columns - 1) / columns * items, 1};
  };
}

std::vector<kernel_source> product_texts(const std::vector<std::string>& names,
                                         const std::string& macros) {
  const kernel_pass shared = {
      shared_text, {16, 16, 1}, blocks_of(64, 64, 16), {"f32 tile_a[1024]", "f32 tile_b[1024]"}};
  const kernel_pass vectors = {vector_text, {1, 1, 1}, blocks_of(16, 4, 1)};
  return {{kernel_format::cuda_c, names, {shared}, macros, {}, {device_style::gpu}},
          {kernel_format::opencl_c, names, {shared}, macros, {}, {device_style::gpu}},
          {kernel_format::glsl, names, {shared}, macros, {}, {device_style::gpu}},
          {kernel_format::opencl_c, names, {vectors}, macros, {}, {device_style::cpu_compiler}}};
}

}  // namespace

std::vector<kernel_source> gemm_texts(bool transpose_b) {
  return product_texts({"factor", "a", "b", "c"},
                       define("A_AT(p, l)", "a(l, p)") +
                           define("B_AT(l, q)", transpose_b ? "b(l, q)" : "b(q, l)") +
                           define("FACTOR", "factor") + define("NEEDED(p, q)", "true"));
}

std::vector<kernel_source> syrk_texts() {
  return product_texts({"a", "c"}, define("A_AT(p, l)", "a(l, p)") +
                                       define("B_AT(l, q)", "a(l, q)") + define("FACTOR", "-1.0f") +
                                       define("NEEDED(p, q)", "((p) >= (q))"));
}

std::vector<kernel_source> trsm_texts(triangular_system solved) {
  const bool left = solved == triangular_system::unit_lower_x;
  const bool by_rows = solved == triangular_system::x_upper;
  const std::string macros = define("X_AT(line, j)", left ? "a(line, j)" : "a(j, line)") +
                             define("T_AT(l, j)", by_rows ? "t(j, l)" : "t(l, j)") +
                             define("DIVIDED(x, j)", left ? "x" : "x / t(j, j)");
  const kernel_pass lines = {solve_text, {64, 1, 1}, [](const launch_shape& shape) {
                               return grid{shape[0][0], 1, 1};
                             }};
  return {{kernel_format::cuda_c, {"t", "a"}, {lines}, macros, {}, {device_style::gpu}},
          {kernel_format::opencl_c, {"t", "a"}, {lines}, macros, {}, {device_style::gpu}},
          {kernel_format::glsl, {"t", "a"}, {lines}, macros, {}, {device_style::gpu}}};
}

}  // namespace tiled
