// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include "each_text.hpp"
#include "stages.hpp"

namespace examples_test {

namespace {

using namespace hocket;
using image_pipeline::pixel;

TEST(ImageKernels, HaveTheSameBitsOnEachDevice) {
  constexpr shape<2> extents{37, 70};
  runtime rt;
  const device_handle host = rt.device("NUMA0");
  const buffer<pixel, 2> drawn{rt, extents}, expected{rt, extents};
  rt.submit({.on = host}, image_pipeline::make_draw(), 3, writes(drawn));
  for (const auto& filter : {image_pipeline::make_blur(), image_pipeline::make_edges()}) {
    rt.submit({.on = host}, filter, reads(drawn), writes(expected));
    for (const auto& each : each_text(rt, filter)) {
      const buffer<pixel, 2> found{rt, extents};
      rt.submit({.on = each.on}, each.only, reads(drawn), writes(found));
      EXPECT_EQ(found.to_vector(), expected.to_vector()) << each.info.name;
    }
  }
}

}  // namespace

}  // namespace examples_test
