// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <algorithm>

#include "bodies.hpp"

namespace hocket::detail {

namespace {

/// A tile of 64 x 64 elements for each group, which shares what it reads; 4 x 4 for each item. The
/// order in which a tile is read follows the layout in memory.
constexpr const char* tile_text = R"(
uint m = c_extent0;
uint n = c_extent1;
uint depth = DEPTH;
uint lx = LOCAL_ITEM(0);
uint ly = LOCAL_ITEM(1);
uint first_i = GROUP(1) * 64u;
uint first_j = GROUP(0) * 64u;
REAL sums[16];
for (uint k = 0u; k < 16u; ++k) sums[k] = AS(REAL, 0);
for (uint first_l = 0u; first_l < depth; first_l += 16u) {
  for (uint k = ly * 16u + lx; k < 1024u; k += 256u) {
    uint i = TRANSPOSE_A ? k % 64u : k / 16u;
    uint l = TRANSPOSE_A ? k / 64u : k % 16u;
    REAL value = AS(REAL, 0);
    if (first_i + i < m && first_l + l < depth) value = A_AT(first_i + i, first_l + l);
    tile_a[l * 65u + i] = value;
    uint j = TRANSPOSE_B ? k / 16u : k % 64u;
    l = TRANSPOSE_B ? k % 16u : k / 64u;
    value = AS(REAL, 0);
    if (first_j + j < n && first_l + l < depth) value = B_AT(first_l + l, first_j + j);
    tile_b[l * 65u + j] = value;
  }
  BARRIER();
  for (uint l = 0u; l < 16u; ++l) {
    REAL left[4];
    REAL right[4];
    for (uint k = 0u; k < 4u; ++k) {
      left[k] = tile_a[l * 65u + ly + k * 16u];
      right[k] = tile_b[l * 65u + lx + k * 16u];
    }
    for (uint k = 0u; k < 16u; ++k) sums[k] = fma(left[k / 4u], right[k % 4u], sums[k]);
  }
  BARRIER();
}
for (uint k = 0u; k < 16u; ++k) {
  uint i = first_i + ly + k / 4u * 16u;
  uint j = first_j + lx + k % 4u * 16u;
  if (i < m && j < n) KEEP(i, j, sums[k]);
}
)";

/// One work-item has up to 64 rows of a panel of PANEL columns, and does what a library for one
/// core does: it packs a part of the panel, then goes over blocks of eight rows whose sums are
/// vectors in registers.
constexpr const char* panel_text = R"(
uint m = c_extent0;
uint n = c_extent1;
uint depth = DEPTH;
uint first_i = ITEM(0) * 64u;
uint first_j = ITEM(1) * PANEL;
uint rows = min(m - first_i, 64u);
uint columns = min(n - first_j, PANEL);
REAL sums[64 * PANEL];
REAL packed[128 * PANEL];
for (uint k = 0u; k < 64u * PANEL; ++k) sums[k] = 0;
for (uint first_l = 0u; first_l < depth; first_l += 128u) {
  uint count = min(depth - first_l, 128u);
  if (columns == PANEL && TRANSPOSE_B) {
    for (uint j = 0u; j < PANEL; ++j) {
      for (uint l = 0u; l < count; ++l) packed[l * PANEL + j] = B_AT(first_l + l, first_j + j);
    }
  } else if (columns == PANEL) {
    for (uint l = 0u; l < count; ++l) {
      for (uint j = 0u; j < PANEL; ++j) packed[l * PANEL + j] = B_AT(first_l + l, first_j + j);
    }
  } else {
    for (uint l = 0u; l < count; ++l) {
      for (uint j = 0u; j < columns; ++j) packed[l * PANEL + j] = B_AT(first_l + l, first_j + j);
      for (uint j = columns; j < PANEL; ++j) packed[l * PANEL + j] = 0;
    }
  }
  for (uint i = 0u; i < rows; i += 8u) {
    __global const REAL* from[8];
    WIDE left[8];
    WIDE right[8];
    #pragma unroll
    for (uint r = 0u; r < 8u; ++r) {
      from[r] = &A_AT(min(first_i + i + r, m - 1u), first_l);
      left[r] = LOAD(0, sums + (i + r) * PANEL);
      right[r] = LOAD(1, sums + (i + r) * PANEL);
    }
    for (ulong l = 0; l < count; ++l) {
      WIDE first = LOAD(0, packed + l * PANEL);
      WIDE second = LOAD(1, packed + l * PANEL);
      #pragma unroll
      for (uint r = 0u; r < 8u; ++r) {
        WIDE factor = (WIDE)(from[r][l * A_STEP]);
        left[r] = fma(factor, first, left[r]);
        right[r] = fma(factor, second, right[r]);
      }
    }
    #pragma unroll
    for (uint r = 0u; r < 8u; ++r) {
      STORE(left[r], 0, sums + (i + r) * PANEL);
      STORE(right[r], 1, sums + (i + r) * PANEL);
    }
  }
}
for (uint i = 0u; i < rows; ++i) {
  for (uint j = 0u; j < columns; ++j) KEEP(first_i + i, first_j + j, sums[i * PANEL + j]);
}
)";

std::string form_macros(const gemm_form& form) {
  return define("TRANSPOSE_A", form.transpose_a ? "true" : "false") +
         define("TRANSPOSE_B", form.transpose_b ? "true" : "false") +
         define("DEPTH", form.transpose_a ? "a_extent0" : "a_extent1") +
         define("A_STEP", form.transpose_a ? "a_stride0" : "1u") +
         define("B_STEP", form.transpose_b ? "1u" : "b_stride0") +
         define("A_ROW(i)", form.transpose_a ? "a_offset + (i)" : "a_offset + (i) * a_stride0") +
         define("B_ROW(j)", form.transpose_b ? "b_offset + (j) * b_stride0" : "b_offset + (j)") +
         define("A_AT(i, l)", form.transpose_a ? "a(l, i)" : "a(i, l)") +
         define("B_AT(l, j)", form.transpose_b ? "b(j, l)" : "b(l, j)") +
         define("KEEP(i, j, sum)",
                form.mode == access_mode::update ? "c(i, j) = c(i, j) + (sum)" : "c(i, j) = sum");
}

/// More work-items than any device runs at once; each takes several blocks then.
constexpr std::size_t most_items = std::size_t{1} << 18;

/// One work-item for each block of the product.
std::function<grid(const launch_shape&)> blocks(std::size_t rows, std::size_t columns) {
  return [=](const launch_shape& shape) {
    const index_list& c = shape[2];
    const std::size_t count = (c[1] + columns - 1) / columns * ((c[0] + rows - 1) / rows);
    return grid{std::min(count, most_items), 1, 1};
  };
}

std::string number(std::size_t n) { return std::to_string(n); }

/// A block of sums in variables of each work-item. Everything is written out: some devices keep
/// arrays in memory, and compute again in a loop what does not change in it.
std::string block_text(std::size_t rows, std::size_t columns) {
  std::string begin =
      "uint m = c_extent0;\nuint n = c_extent1;\nuint depth = DEPTH;\n"
      "uint a_step = A_STEP;\nuint b_step = B_STEP;\n"
      "uint across = (n + " +
      number(columns - 1) + "u) / " + number(columns) + "u;\nuint blocks = (m + " +
      number(rows - 1) + "u) / " + number(rows) +
      "u * across;\nfor (uint at = ITEM(0); at < blocks; at += ITEMS0) {\nuint i = at / across * " +
      number(rows) + "u;\nuint j = at % across * " + number(columns) + "u;\n";
  std::string loads, steps, end;
  for (std::size_t c = 0; c < columns; ++c) {
    const std::string column = number(c);
    begin += "uint q" + column + " = B_ROW(min(j + " + column + "u, n - 1u));\n";
    loads += "REAL b" + column + " = b_[q" + column + "];\nq" + column + " += b_step;\n";
  }
  for (std::size_t r = 0; r < rows; ++r) {
    const std::string row = number(r);
    begin += "uint p" + row + " = A_ROW(min(i + " + row + "u, m - 1u));\n";
    loads += "REAL a" + row + " = a_[p" + row + "];\np" + row + " += a_step;\n";
    for (std::size_t c = 0; c < columns; ++c) {
      const std::string column = number(c);
      const std::string sum = "s" + row + "_" + column;
      begin += "REAL " + sum + " = AS(REAL, 0);\n";
      steps += sum + " = a" + row + " * b" + column + " + " + sum + ";\n";
      end += "if (i + " + row + "u < m && j + " + column + "u < n) KEEP(i + " + row + "u, j + " +
             column + "u, " + sum + ");\n";
    }
  }
  return begin + "for (uint l = 0u; l < depth; ++l) {\n" + loads + steps + "}\n" + end + "}";
}

}  // namespace

std::vector<kernel_source> gemm_bodies(const gemm_form& form) {
  const std::vector<std::string> names = {"a", "b", "c"};
  const std::string macros = form_macros(form);
  std::vector<kernel_source> made;
  const auto items = [](const launch_shape& shape) {
    return grid{(shape[2][1] + 63) / 64 * 16, (shape[2][0] + 63) / 64 * 16, 1};
  };
  add_both(made, form.real, names,
           {tile_text, {16, 16, 1}, items, {"REAL tile_a[16 * 65]", "REAL tile_b[16 * 65]"}},
           macros, {device_style::gpu});
  add_both(made, form.real, names, {block_text(8, 8), {8, 1, 1}, blocks(8, 8)}, macros,
           lane_styles);
  const bool single = form.real == element_type::f32;
  const std::size_t panel = single ? 32 : 16;
  const std::string width = single ? "16" : "8";
  made.push_back({kernel_format::opencl_c,
                  names,
                  {{panel_text,
                    {1, 1, 1},
                    [panel](const launch_shape& shape) {
                      return grid{(shape[2][0] + 63) / 64, (shape[2][1] + panel - 1) / panel, 1};
                    }}},
                  real_macros(form.real, kernel_format::opencl_c) + macros +
                      define("PANEL", number(panel) + "u") +
                      define("WIDE", (single ? "float" : "double") + width) +
                      define("LOAD(k, from)", "vload" + width + "(k, from)") +
                      define("STORE(v, k, to)", "vstore" + width + "(v, k, to)"),
                  {},
                  {device_style::cpu_compiler}});
  return made;
}

}  // namespace hocket::detail
