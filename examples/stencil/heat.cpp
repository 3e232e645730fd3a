// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "heat.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace stencil {

using namespace hocket;

namespace {

/// Means of four neighbours have the same bits on all devices: additions in this order, and a
/// division by a power of two, round alike everywhere.
float mean(float above, float below, float left, float right) {
  return 0.25F * ((above + below) + (left + right));
}

/// A work-item for each point; one text for both languages.
constexpr const char* step_text = R"(
uint i = ITEM(1);
uint j = ITEM(0);
if (i < next_extent0 && j < next_extent1) {
  next(i, j) = 0.25f * ((now(i, j + 1u) + now(i + 2u, j + 1u)) +
                        (now(i + 1u, j) + now(i + 1u, j + 2u)));
}
)";

/// The temperatures that plate::at_first gives.
constexpr const char* fill_text = R"(
uint i = ITEM(1);
uint j = ITEM(0);
if (i < points_extent0 && j < points_extent1) {
  uint row = first_row + i;
  bool edge = row == rows + 1u || j == 0u || j == columns + 1u;
  points(i, j) = row == 0u ? 100.0f : (edge ? 10.0f : 20.0f);
}
)";

constexpr grid group{32, 4, 1};

grid points_of(const launch_shape& shape) { return {shape[1][1], shape[1][0], 1}; }

void step_on_host(buffer_view<const float, 2> now, buffer_view<float, 2> next) {
  for (std::size_t i = 0; i < next.extent(0); ++i) {
    const float *above = &now(i, 0), *row = &now(i + 1, 0), *below = &now(i + 2, 0);
    float* result = &next(i, 0);
    for (std::size_t j = 0; j < next.extent(1); ++j) {
      result[j] = mean(above[j + 1], below[j + 1], row[j], row[j + 2]);
    }
  }
}

void check(const launch_shape& shape) {
  if (shape[0][0] != shape[1][0] + 2 || shape[0][1] != shape[1][1] + 2) {
    throw usage_error("Kernel \"step\" is given " + to_string(shape[0]) + " points for " +
                      to_string(shape[1]) + " inside; it takes one more on each side.");
  }
}

launch_work cost(const launch_shape& shape) {
  const auto points = static_cast<double>(volume(shape[1]));
  return {4 * points, static_cast<double>(volume(shape[0]) + volume(shape[1])) * sizeof(float)};
}

}  // namespace

float plate::at_first(std::size_t row, std::size_t column) const {
  constexpr float hot = 100, warm = 20, cold = 10;
  if (row == 0) return hot;
  const bool edge = row == rows + 1 || column == 0 || column == columns + 1;
  return edge ? cold : warm;
}

fill_kernel make_fill() {
  const auto on_host = [](std::uint32_t first_row, std::uint32_t rows, std::uint32_t columns,
                          buffer_view<float, 2> points) {
    const plate what{rows, columns};
    for (std::size_t i = 0; i < points.extent(0); ++i) {
      for (std::size_t j = 0; j < points.extent(1); ++j) {
        points(i, j) = what.at_first(first_row + i, j);
      }
    }
  };
  const auto all_points = [](const launch_shape& shape) {
    return grid{shape[0][1], shape[0][0], 1};
  };
  const std::string names = "first_row, rows, columns, points";
  return fill_kernel{"fill", host_body{on_host}}
      .with(cuda_c{names, fill_text, group, all_points})
      .with(opencl_c{names, fill_text, group, all_points})
      .with(glsl{names, fill_text, group, all_points});
}

step_kernel make_step() {
  const std::string names = "now, next";
  return step_kernel{"step", host_body{step_on_host}}
      .check(check)
      .cost(cost)
      .with(cuda_c{names, step_text, group, points_of})
      .with(opencl_c{names, step_text, group, points_of})
      .with(glsl{names, step_text, group, points_of});
}

tiled_plate::tiled_plate(runtime& rt, const plate& what, std::size_t tile)
    : what_(what),
      tile_(tile),
      now_(rt, {what.rows + 2, what.columns + 2}, "plate"),
      next_(rt, {what.rows + 2, what.columns + 2}, "other plate") {
  fill(rt, now_);
  fill(rt, next_);
}

void tiled_plate::fill(submitter& to, const buffer<float, 2>& points) const {
  const fill_kernel fill = make_fill();
  const auto rows = static_cast<std::uint32_t>(what_.rows);
  const auto columns = static_cast<std::uint32_t>(what_.columns);
  for (std::size_t i = 0; i < what_.rows; i += tile_) {
    const std::size_t first = i == 0 ? 0 : i + 1;
    const std::size_t last = i + tile_ >= what_.rows ? what_.rows + 2 : i + tile_ + 1;
    to.submit(fill, static_cast<std::uint32_t>(first), rows, columns,
              writes(points.rows(first, last)));
  }
}

void tiled_plate::step(submitter& to) {
  for (std::size_t i = 0; i < what_.rows; i += tile_) {
    for (std::size_t j = 0; j < what_.columns; j += tile_) {
      const std::size_t end_i = std::min(i + tile_, what_.rows);
      const std::size_t end_j = std::min(j + tile_, what_.columns);
      to.submit(step_, reads(now_.tile({i, j}, {end_i + 2, end_j + 2})),
                writes(next_.tile({i + 1, j + 1}, {end_i + 1, end_j + 1})));
    }
  }
  std::swap(now_, next_);
}

std::vector<float> simple_steps(const plate& what, std::size_t steps) {
  const std::size_t width = what.columns + 2;
  std::vector<float> now((what.rows + 2) * width);
  for (std::size_t at = 0; at < now.size(); ++at) now[at] = what.at_first(at / width, at % width);
  std::vector<float> next = now;
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t i = 1; i <= what.rows; ++i) {
      for (std::size_t j = 1; j <= what.columns; ++j) {
        const std::size_t at = i * width + j;
        next[at] = mean(now[at - width], now[at + width], now[at - 1], now[at + 1]);
      }
    }
    std::swap(now, next);
  }
  return now;
}

}  // namespace stencil
