// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "algorithms.hpp"
#include "products.hpp"

namespace examples_test {

namespace {

constexpr double most = 10;  // that the program accepts

using maker = std::unique_ptr<tiled::algorithm> (*)(hocket::runtime&, std::size_t, std::size_t);

TEST(Residual, IsLargeBeforeAnythingIsComputed) {
  hocket::runtime rt{{.devices = "NUMA0"}};
  for (const maker make : {tiled::make_cholesky, tiled::make_lu, tiled::make_gemm_of_tiles}) {
    const auto algorithm = make(rt, 3, 20);
    algorithm->generate(rt, rt.device("NUMA0"));
    EXPECT_GT(algorithm->residual(), 1000 * most);
    algorithm->submit(rt);
    EXPECT_LT(algorithm->residual(), most);
  }
}

TEST(Residual, CountsWhatIsNoNumber) {
  EXPECT_EQ(tiled::relative_difference({1, 2}, {1, 2}, 1), 0);
  EXPECT_GT(tiled::relative_difference({1, 2}, {1, 2.001}, 2), 1000);
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(tiled::relative_difference({none, 2}, {1, 2}, 1),
            std::numeric_limits<double>::infinity());
}

}  // namespace

}  // namespace examples_test
