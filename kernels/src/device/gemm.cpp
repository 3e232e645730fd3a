// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <algorithm>

#include "bodies.hpp"

namespace hocket::detail {

namespace {

/// A tile of 64 x 64 elements for each group, which shares what it reads; 4 x 4 for each item. The
/// order in which a tile is read follows the layout in memory.
constexpr const char* tile_text = R"(
uint m = ROWS;
uint n = COLUMNS;
uint lx = LOCAL_ITEM(0);
uint ly = LOCAL_ITEM(1);
uint first_i = GROUP(1) * 64u;
uint first_j = GROUP(0) * 64u;
uint depth = DEPTH_OF(first_i + 63u, first_j);
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
uint m = ROWS;
uint n = COLUMNS;
uint first_i = ITEM(0) * 64u;
uint first_j = ITEM(1) * PANEL;
uint depth = DEPTH_OF(first_i + 63u, first_j);
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

/// An element of C. Nothing that is scaled by zero counts, though it may be no number.
std::string end_text(gemm_end end) {
  if (end == gemm_end::overwrites) return "sum";
  if (end == gemm_end::adds) return "READ_C(C_AT(i, j)) + (sum)";
  return "(alpha == AS(REAL, 0) ? AS(REAL, 0) : alpha * (sum)) + "
         "(beta == AS(REAL, 0) ? AS(REAL, 0) : beta * READ_C(C_AT(i, j)))";
}

/// The place of an element in the matrix of a work-item: of several, whose number is the first
/// index, the one that its group is for.
std::string element(const gemm_form& form, const std::string& of, const std::string& row,
                    const std::string& column) {
  return of + (form.is_batch ? "(GROUP(2), " : "(") + row + ", " + column + ")";
}

/// X_BEGIN and X_STRIDE: where the matrix of a work-item begins, and the distance of its rows.
std::string place_macros(const gemm_form& form, const std::string& name, const std::string& of) {
  const std::string begin = of + "_offset", stride = of + "_stride";
  if (!form.is_batch)
    return define(name + "_BEGIN", begin) + define(name + "_STRIDE", stride + "0");
  return define(name + "_BEGIN", "(" + begin + " + GROUP(2) * " + stride + "0)") +
         define(name + "_STRIDE", stride + "1");
}

/// How many products are added up for a block of C whose last row and first column these are. B is
/// known by its own names; where it is A transposed, these are names of A.
std::string depth_macro(const gemm_form& form) {
  const std::string depth =
      "a_extent" + std::to_string((form.transpose_a ? 0 : 1) + (form.is_batch ? 1 : 0));
  if (!form.is_lower_square) return define("DEPTH_OF(i, j)", depth);
  return define("DEPTH_OF(i, j)", "((j) <= (i) ? " + depth + " : 0u)") +
         define("b(j, l)", "a(j, l)") + define("b_", "a_") + define("b_offset", "a_offset") +
         define("b_stride0", "a_stride0");
}

std::string form_macros(const gemm_form& form) {
  const auto at = [&](const std::string& of, const char* row, const char* column) {
    return "READ(" + element(form, of, row, column) + ")";
  };
  const std::string a_row = "A_BEGIN + (i) * A_STRIDE", b_row = "B_BEGIN + (j) * B_STRIDE";
  return read_macros(form.of) + define("READ_C(v)", form.widens ? "(v)" : "READ(v)") +
         define("WRITE_C(v)", form.widens ? "(v)" : "WRITE(v)") +
         define("TRANSPOSE_A", form.transpose_a ? "true" : "false") +
         define("TRANSPOSE_B", form.transpose_b ? "true" : "false") + depth_macro(form) +
         define("ROWS", form.is_batch ? "c_extent1" : "c_extent0") +
         define("COLUMNS", form.is_batch ? "c_extent2" : "c_extent1") +
         place_macros(form, "A", "a") + place_macros(form, "B", "b") +
         define("A_STEP", form.transpose_a ? "A_STRIDE" : "1u") +
         define("B_STEP", form.transpose_b ? "1u" : "B_STRIDE") +
         define("A_ROW(i)", form.transpose_a ? "A_BEGIN + (i)" : a_row) +
         define("B_ROW(j)", form.transpose_b ? b_row : "B_BEGIN + (j)") +
         define("A_AT(i, l)", form.transpose_a ? at("a", "l", "i") : at("a", "i", "l")) +
         define("B_AT(l, j)", form.transpose_b ? at("b", "j", "l") : at("b", "l", "j")) +
         define("C_AT(i, j)", element(form, "c", "i", "j")) +
         define("KEEP(i, j, sum)", (form.is_lower_square ? "if ((j) <= (i)) " : "") +
                                       ("C_AT(i, j) = WRITE_C(" + end_text(form.end) + ")"));
}

/// Of the buffer for the products, the last of the shape: rows, columns, and how many there are.
struct product_extents {
  explicit product_extents(const launch_shape& shape)
      : rows(shape.back()[shape.back().size() - 2]),
        columns(shape.back().back()),
        count(shape.back().size() == 2 ? 1 : shape.back()[0]) {}
  std::size_t rows, columns, count;
};

/// As many items as the lanes have for each block of the product.
std::function<grid(const launch_shape&)> blocks(std::size_t rows, std::size_t columns,
                                                std::size_t lanes) {
  return [=](const launch_shape& shape) {
    const product_extents c(shape);
    const std::size_t across = (c.columns + columns - 1) / columns;
    return grid{across * ((c.rows + rows - 1) / rows) * lanes, 1, c.count};
  };
}

/// The text once for each step below count, whose number stands where the text has the name.
std::string each(const std::string& name, std::size_t count, const std::string& text,
                 std::size_t step = 1) {
  std::string all;
  for (std::size_t i = 0; i < count; i += step) {
    std::size_t from = 0, at;
    while ((at = text.find(name, from)) != std::string::npos) {
      all.append(text, from, at - from).append(std::to_string(i));
      from = at + name.size();
    }
    all.append(text, from);
  }
  return all;
}

/// The block of sums that a work-item has; or that each of the lanes of a group has, which take the
/// columns by turns.
struct division {
  std::size_t rows, columns, lanes;
};

/// Sums in variables of each work-item. Everything is written out: some devices keep arrays in
/// memory, and compute again in a loop what does not change in it. `fast` goes over the first l
/// steps, as many as it can; the rest is done one by one.
std::string block_text(const division& by, const std::string& fast) {
  const std::string lanes = std::to_string(by.lanes) + "u", rows = std::to_string(by.rows) + "u";
  const std::string columns = std::to_string(by.columns * by.lanes) + "u";
  const auto each_row = [&](const std::string& text) { return each("$r", by.rows, text); };
  const auto each_column = [&](const std::string& text) { return each("$c", by.columns, text); };
  return define("COLUMN(c)", "(j + lane + (c) * " + lanes + ")") + "uint at = ITEM(0) / " + lanes +
         ";\nuint lane = ITEM(0) % " + lanes +
         ";\nuint m = ROWS;\nuint n = COLUMNS;\n"
         "uint a_step = A_STEP;\nuint b_step = B_STEP;\n"
         "uint across = (n + " +
         columns + " - 1u) / " + columns + ";\nuint i = at / across * " + rows +
         ";\nuint j = at % across * " + columns + ";\nuint depth = DEPTH_OF(i + " + rows +
         " - 1u, j);\nif (i < m) {\n" +
         each_row("uint p$r = A_ROW(min(i + $ru, m - 1u));\n" +
                  each_column("REAL s$r_$c = AS(REAL, 0);\n")) +
         each_column("uint q$c = B_ROW(min(COLUMN($cu), n - 1u));\n") + "uint l = 0u;\n" + fast +
         "for (; l < depth; ++l) {\n" + each_column("REAL b$c = READ(b_[q$c]);\nq$c += b_step;\n") +
         each_row("REAL a$r = READ(a_[p$r]);\np$r += a_step;\n" +
                  each_column("s$r_$c = a$r * b$c + s$r_$c;\n")) +
         "}\n" +
         each_row(each_column("if (i + $ru < m && COLUMN($cu) < n) "
                              "KEEP(i + $ru, COLUMN($cu), s$r_$c);\n")) +
         "}";
}

/// A matrix that is read in vectors of four: along the depth, or across it.
struct operand {
  std::string name;
  std::string place;  ///< the variables that say where each of its rows or columns is
  std::size_t count;  ///< of these
  bool along;

  [[nodiscard]] std::size_t apart() const { return along ? 1 : 4; }
  [[nodiscard]] std::string step() const { return name + "_step"; }

  [[nodiscard]] std::string begin() const {
    return each("$i", count, "uint " + place + "$i_ = " + place + "$i / 4u;\n", apart());
  }
  [[nodiscard]] std::string load() const {
    return each("$i", count,
                "vec4 " + name + "$i = " + name + "_fours[" + place + "$i_];\n" + place +
                    "$i_ += " + (along ? "1u" : step() + " / 4u") + ";\n",
                apart());
  }
  [[nodiscard]] std::string element(std::size_t i, std::size_t k) const {
    return along ? name + std::to_string(i) + "[" + std::to_string(k) + "]"
                 : name + std::to_string(i / 4 * 4) + "[" + std::to_string(i % 4) + "]";
  }
  [[nodiscard]] std::string end() const {
    return each("$i", count, place + "$i += l * " + step() + ";\n");
  }
};

/// Four steps at a time, where a load of four elements costs little more than one of one: if all
/// vectors of the matrices begin at multiples of four. Those behind the end of a row or column
/// become the last ones before it.
std::string steps_by_vectors(const gemm_form& form, const division& by) {
  const operand a{"a", "p", by.rows, !form.transpose_a};
  const operand b{"b", "q", by.columns, form.transpose_b};
  std::string text = "uint odd = A_BEGIN | A_STRIDE | B_BEGIN | B_STRIDE | " +
                     std::string(a.along ? "0u" : "m") + " | " + (b.along ? "0u" : "n") +
                     ";\nuint end = odd % 4u == 0u ? depth / 4u * 4u : 0u;\n" + a.begin() +
                     b.begin() + "for (; l < end; l += 4u) {\n" + (a.along ? a.load() : "") +
                     (b.along ? b.load() : "");
  for (std::size_t k = 0; k < 4; ++k) {
    text += "{\n" + (a.along ? "" : a.load()) + (b.along ? "" : b.load());
    for (std::size_t r = 0; r < by.rows; ++r) {
      for (std::size_t c = 0; c < by.columns; ++c) {
        const std::string sum = "s" + std::to_string(r) + "_" + std::to_string(c);
        text += sum + " = " + a.element(r, k) + " * " + b.element(c, k) + " + " + sum + ";\n";
      }
    }
    text += "}\n";
  }
  return text + "}\n" + a.end() + b.end();
}

/// As many steps at a time as there are lanes, which load the factors of one step each and pass
/// them round.
std::string steps_by_broadcasts(const division& by) {
  const std::string lanes = std::to_string(by.lanes) + "u";
  const std::string row = "{\nREAL f = subgroupBroadcast(a$r, $ku);\n" +
                          each("$c", by.columns, "s$r_$c = f * b$c + s$r_$c;\n") + "}\n";
  const std::string step =
      each("$c", by.columns, "REAL b$c = b_[q$c];\nq$c += b_step;\n") + each("$r", by.rows, row);
  return each("$r", by.rows, "uint p$r_ = p$r + lane * a_step;\n") + "for (; l + " + lanes +
         " <= depth; l += " + lanes + ") {\n" +
         each("$r", by.rows, "REAL a$r = a_[p$r_];\np$r_ += " + lanes + " * a_step;\n") +
         each("$k", by.lanes, "{\n" + step + "}\n") + "}\n" +
         each("$r", by.rows, "p$r += l * a_step;\n");
}

/// The same memory as that of the operands, as vectors.
constexpr const char* fours = R"(
layout(set = 0, binding = 0, std430) readonly buffer a_as_fours { vec4 a_fours[]; };
layout(set = 0, binding = 1, std430) readonly buffer b_as_fours { vec4 b_fours[]; };
)";

/// For the two ways of running work-items in lanes, what was fastest on a driver of each. Four
/// lanes are one subgroup there.
void add_for_lanes(std::vector<kernel_source>& to, const gemm_form& form,
                   const std::vector<std::string>& names, const std::string& macros) {
  if (form.of == element_type::f32 && !form.is_lower_square) {
    const std::string functions = real_macros(form.of, kernel_format::glsl) + macros;
    const division vectors{8, 16, 1}, broadcasts{8, 4, 4};
    to.push_back(
        {kernel_format::glsl,
         names,
         {{block_text(vectors, steps_by_vectors(form, vectors)), {8, 1, 1}, blocks(8, 16, 1)}},
         functions + fours,
         {},
         {device_style::cpu_lanes}});
    to.push_back(
        {kernel_format::glsl,
         names,
         {{block_text(broadcasts, steps_by_broadcasts(broadcasts)), {4, 1, 1}, blocks(8, 16, 4)}},
         functions,
         {},
         {device_style::cpu_switching}});
  }
  // The loops for compilers read whole vectors, which numbers in 16 bits are not made of.
  const element_type real = computed_type(form.of);
  const bool is_narrow = real != form.of;
  add_bodies(to, real, names, {block_text({8, 8, 1}, ""), {8, 1, 1}, blocks(8, 8, 1)}, macros,
             is_narrow ? cpu_styles() : lane_styles());
}

std::vector<std::string> names_of(const gemm_form& form) {
  if (form.is_lower_square) return {"alpha", "a", "beta", "c"};
  if (form.end == gemm_end::scales) return {"alpha", "a", "b", "beta", "c"};
  return {"a", "b", "c"};
}

}  // namespace

std::vector<kernel_source> syrk_bodies(element_type real) {
  return gemm_bodies({real, false, true, gemm_end::scales, true});
}

std::vector<kernel_source> gemm_bodies(const gemm_form& form) {
  const std::vector<std::string> names = names_of(form);
  const std::string macros = form_macros(form);
  std::vector<kernel_source> made;
  const auto items = [](const launch_shape& shape) {
    const product_extents c(shape);
    return grid{(c.columns + 63) / 64 * 16, (c.rows + 63) / 64 * 16, c.count};
  };
  add_bodies(made, computed_type(form.of), names,
             {tile_text, {16, 16, 1}, items, {"REAL tile_a[16 * 65]", "REAL tile_b[16 * 65]"}},
             macros, {device_style::gpu});
  for (kernel_source& each : made) {
    // Libraries make the whole of a product.
    if (form.is_lower_square) break;
    each.product = {form.transpose_a, form.transpose_b, form.end == gemm_end::adds ? 1.0 : 0.0};
  }
  add_for_lanes(made, form, names, macros);
  if (computed_type(form.of) != form.of) return made;
  const bool single = form.of == element_type::f32;
  const std::size_t panel = single ? 32 : 16;
  const std::string width = single ? "16" : "8";
  made.push_back({kernel_format::opencl_c,
                  names,
                  {{panel_text,
                    {1, 1, 1},
                    [panel](const launch_shape& shape) {
                      const product_extents c(shape);
                      return grid{(c.rows + 63) / 64, (c.columns + panel - 1) / panel, c.count};
                    }}},
                  real_macros(form.of, kernel_format::opencl_c) + macros +
                      define("PANEL", std::to_string(panel) + "u") +
                      define("WIDE", (single ? "float" : "double") + width) +
                      define("LOAD(k, from)", "vload" + width + "(k, from)") +
                      define("STORE(v, k, to)", "vstore" + width + "(v, k, to)"),
                  {},
                  {device_style::cpu_compiler}});
  return made;
}

}  // namespace hocket::detail
