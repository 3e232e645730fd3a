// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "each_text.hpp"
#include "heat.hpp"

namespace examples_test {

namespace {

using namespace hocket;

TEST(StencilKernels, FillTheSameOnEachDevice) {
  constexpr std::uint32_t rows = 37, columns = 70;
  const stencil::plate what{rows, columns};
  std::vector<float> expected;
  for (std::size_t i = 0; i < (rows + 2) * (columns + 2); ++i) {
    expected.push_back(what.at_first(i / (columns + 2), i % (columns + 2)));
  }
  runtime rt;
  for (const auto& each : each_text(rt, stencil::make_fill())) {
    const buffer<float, 2> points{rt, {rows + 2, columns + 2}};
    for (std::uint32_t first = 0; first < rows + 2; first += 13) {
      rt.submit({.on = each.on}, each.only, first, rows, columns,
                writes(points.rows(first, first + 13)));
    }
    EXPECT_EQ(points.to_vector(), expected) << each.info.name;
  }
}

TEST(StencilKernels, StepTheSameOnEachDevice) {
  constexpr std::size_t rows = 37, columns = 70;
  const stencil::plate what{rows, columns};
  std::vector<float> values;
  for (std::size_t i = 0; i < (rows + 2) * (columns + 2); ++i) {
    values.push_back(what.at_first(i / (columns + 2), i % (columns + 2)) +
                     static_cast<float>(i * i % 1001) / 7);
  }
  runtime rt;
  const buffer<float, 2> now{rt, {rows + 2, columns + 2}, std::span<const float>(values)};
  const buffer<float, 2> expected{rt, {rows, columns}};
  rt.submit({.on = rt.device("NUMA0")}, stencil::make_step(), reads(now), writes(expected));
  for (const auto& each : each_text(rt, stencil::make_step())) {
    const buffer<float, 2> next{rt, {rows, columns}};
    rt.submit({.on = each.on}, each.only, reads(now), writes(next));
    EXPECT_EQ(next.to_vector(), expected.to_vector()) << each.info.name;
  }
}

}  // namespace

}  // namespace examples_test
