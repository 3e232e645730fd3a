// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The adapter of the guide with Eigen itself. Built where that is installed.

#include <gtest/gtest.h>
#include <Eigen/Core>

#include <hocket/hocket.hpp>

namespace hocket {
namespace {

template <class Matrix>
auto memory_of_eigen(Matrix& m) {
  const auto size = [](auto n) { return static_cast<std::size_t>(n); };
  const shape<2> extents{size(m.outerSize()), size(m.innerSize())};
  return user_memory(m.data(), extents, shape<2>{size(m.outerStride()), 1});
}

TEST(EigenMemory, HasColumnsForRows) {
  Eigen::MatrixXf matrix = Eigen::MatrixXf::Constant(5, 4, 1.0f);
  Eigen::Map<Eigen::MatrixXf, 0, Eigen::OuterStride<>> part(matrix.data(), 3, 4,
                                                            Eigen::OuterStride<>(5));
  runtime rt;
  {
    const buffer<float, 2> x{rt, memory_of_eigen(part), "x"};
    EXPECT_EQ(x.extents(), (shape<2>{4, 3}));
    rt.submit(ops::fill, 2.0f, writes(x.rows(1, 2)));
    EXPECT_EQ(x.read()(1, 2), 2.0f);
  }
  rt.wait();
  EXPECT_EQ(matrix.sum(), 5 * 4 + 3);
  EXPECT_EQ(matrix(2, 1), 2.0f);
  const Eigen::Matrix<float, 2, 3, Eigen::RowMajor> rows = Eigen::MatrixXf::Constant(2, 3, 3.0f);
  const buffer<float, 2> y{rt, memory_of_eigen(rows), "y"};
  EXPECT_EQ(y.extents(), (shape<2>{2, 3}));
  EXPECT_EQ(rt.submit(ops::sum, reads(y)).get(), 18.0f);
}

}  // namespace
}  // namespace hocket
