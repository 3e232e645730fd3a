// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "stages.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace image_pipeline {

using namespace hocket;

namespace {

constexpr std::array<std::uint32_t, 5> weights{1, 4, 6, 4, 1};

// Filters see x, the image, and y, the result; a work-item has one pixel of it. X_AT(a, b, middle)
// is the pixel a rows and b columns behind that which is `middle` rows and columns before it.
constexpr const char* macros = R"(
#define NEAR(at, step, middle, extent) min(max((at) + (step), middle) - (middle), (extent) - 1u)
#define X_AT(a, b, middle) x(NEAR(i, a, middle, y_extent0), NEAR(j, b, middle, y_extent1))
#define WEIGHT(k) ((k) == 2u ? 6u : ((k) % 2u == 1u ? 4u : 1u))
#define X(a, b) AS(int, X_AT(a, b, 1u))
)";

constexpr const char* blur_text = R"(
uint i = ITEM(1);
uint j = ITEM(0);
if (i < y_extent0 && j < y_extent1) {
  uint sum = 128u;
  for (uint a = 0u; a < 5u; ++a) {
    for (uint b = 0u; b < 5u; ++b) sum += WEIGHT(a) * WEIGHT(b) * AS(uint, X_AT(a, b, 2u));
  }
  y(i, j) = AS(u8, sum / 256u);
}
)";

constexpr const char* edges_text = R"(
uint i = ITEM(1);
uint j = ITEM(0);
if (i < y_extent0 && j < y_extent1) {
  int right = X(0u, 2u) + 2 * X(1u, 2u) + X(2u, 2u);
  int left = X(0u, 0u) + 2 * X(1u, 0u) + X(2u, 0u);
  int below = X(2u, 0u) + 2 * X(2u, 1u) + X(2u, 2u);
  int above = X(0u, 0u) + 2 * X(0u, 1u) + X(0u, 2u);
  y(i, j) = AS(u8, min(AS(int, abs(right - left)) + AS(int, abs(below - above)), 255));
}
)";

/// The row so many rows below another one, or the nearest one of the image.
const pixel* row_near(const buffer_view<const pixel, 2>& image, std::size_t row,
                      std::ptrdiff_t below) {
  const auto last = static_cast<std::ptrdiff_t>(image.extent(0)) - 1;
  const auto wanted = static_cast<std::ptrdiff_t>(row) + below;
  return &image(static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(wanted, 0, last)), 0);
}

/// Of an image that is read or written: operations for each of its pixels, which are one byte.
auto operations(double for_each_pixel) {
  return [for_each_pixel](const launch_shape& shape) {
    const auto pixels = static_cast<double>(volume(shape[0]));
    return launch_work{for_each_pixel * pixels, static_cast<double>(shape.size()) * pixels};
  };
}

filter_kernel make_filter(const std::string& name,
                          void (*on_host)(buffer_view<const pixel, 2>, buffer_view<pixel, 2>),
                          double operations_for_pixel, const char* text) {
  const kernel_pass pass = {text, {32, 4, 1}, [](const launch_shape& shape) {
                              return grid{shape[1][1], shape[1][0], 1};
                            }};
  return filter_kernel{name, host_body{on_host}}
      .check([name](const launch_shape& shape) {
        if (shape[0] == shape[1]) return;
        throw usage_error("Kernel \"" + name + "\" makes an image of " + to_string(shape[1]) +
                          " of one of " + to_string(shape[0]) + "; they must be equal.");
      })
      .cost(operations(operations_for_pixel))
      .with(kernel_source{kernel_format::cuda_c, {"x", "y"}, {pass}, macros})
      .with(kernel_source{kernel_format::opencl_c, {"x", "y"}, {pass}, macros})
      .with(kernel_source{kernel_format::glsl, {"x", "y"}, {pass}, macros});
}

}  // namespace

void draw(std::uint64_t frame, buffer_view<pixel, 2> image) {
  const std::uint64_t rows = image.extent(0), columns = image.extent(1);
  const std::uint64_t size = std::max<std::uint64_t>(1, std::min(rows, columns) / 3);
  const std::uint64_t top = frame * 3 % rows, left = frame * 5 % columns;
  for (std::uint64_t i = 0; i < rows; ++i) {
    for (std::uint64_t j = 0; j < columns; ++j) {
      const bool inside = i - top < size && j - left < size;  // numbers before it wrap round
      const std::uint64_t noise = (i * 2654435761U + j * 40503U + frame * 97U) % 23U;
      image(i, j) = static_cast<pixel>((inside ? 180 : 40) + noise);
    }
  }
}

void blur(buffer_view<const pixel, 2> from, buffer_view<pixel, 2> to) {
  const std::size_t columns = to.extent(1);
  std::vector<std::uint32_t> sums(columns + 4);  // of columns, with two more on each side
  for (std::size_t i = 0; i < to.extent(0); ++i) {
    std::array<const pixel*, weights.size()> rows{};
    for (std::size_t a = 0; a < rows.size(); ++a) {
      rows[a] = row_near(from, i, static_cast<std::ptrdiff_t>(a) - 2);
    }
    for (std::size_t j = 0; j < columns; ++j) {
      std::uint32_t sum = 0;
      for (std::size_t a = 0; a < rows.size(); ++a) sum += weights[a] * rows[a][j];
      sums[j + 2] = sum;
    }
    sums[0] = sums[1] = sums[2];
    sums[columns + 2] = sums[columns + 3] = sums[columns + 1];
    pixel* const result = &to(i, 0);
    for (std::size_t j = 0; j < columns; ++j) {
      std::uint32_t sum = 128;
      for (std::size_t b = 0; b < weights.size(); ++b) sum += weights[b] * sums[j + b];
      result[j] = static_cast<pixel>(sum / 256);
    }
  }
}

void edges(buffer_view<const pixel, 2> from, buffer_view<pixel, 2> to) {
  const std::size_t columns = to.extent(1);
  for (std::size_t i = 0; i < to.extent(0); ++i) {
    const pixel *above = row_near(from, i, -1), *row = row_near(from, i, 0);
    const pixel* below = row_near(from, i, 1);
    pixel* const result = &to(i, 0);
    for (std::size_t j = 0; j < columns; ++j) {
      const std::size_t left = std::max<std::size_t>(j, 1) - 1,
                        right = std::min(j + 1, columns - 1);
      const int across = above[right] + 2 * row[right] + below[right] -
                         (above[left] + 2 * row[left] + below[left]);
      const int down =
          below[left] + 2 * below[j] + below[right] - (above[left] + 2 * above[j] + above[right]);
      result[j] = static_cast<pixel>(std::min(std::abs(across) + std::abs(down), 255));
    }
  }
}

void count_levels(buffer_view<const pixel, 2> image, buffer_view<std::uint32_t> counts) {
  std::fill(counts.begin(), counts.end(), 0U);
  for (const pixel each : image) ++counts[each];
}

kernel<std::uint64_t, image_out> make_draw() {
  return kernel<std::uint64_t, image_out>{"draw", host_body{draw}}.cost(operations(10));
}

filter_kernel make_blur() { return make_filter("blur", blur, 75, blur_text); }

filter_kernel make_edges() { return make_filter("edges", edges, 20, edges_text); }

kernel<image_in, out_buffer<std::uint32_t>> make_count_levels() {
  return kernel<image_in, out_buffer<std::uint32_t>>{"count_levels", host_body{count_levels}}
      .check([](const launch_shape& shape) {
        if (shape[1][0] == levels) return;
        throw usage_error("Kernel \"count_levels\" counts " + std::to_string(levels) +
                          " levels; the buffer for them has " + to_string(shape[1]) + ".");
      })
      .cost(operations(1));
}

}  // namespace image_pipeline
