// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <cmath>

#include <gtest/gtest.h>

#include <hocket/kernels/checksum_ops.hpp>

#include "support.hpp"

namespace hocket::testing {
namespace {

template <class T>
class checksum_ops : public typed_random_test<T> {
 protected:
  /// Compares with sums that are computed in a wider type, by the definition.
  void check(const tensor<T>& a, bool of_columns, const tensor<T>& x, const tensor<T>& w,
             const tensor<T>& y, const tensor<T>& z, std::size_t given) {
    for (std::size_t at = 0; at < y.size(); ++at) {
      wide<T> sum = 0, bound = 0;
      wide<T> size = 1;
      for (std::size_t k = 0; k < given; ++k) {
        const wide<T> value = of_columns ? a(k, at) : a(at, k);
        sum += value * wide<T>{x[k]};
        size += std::abs(value * wide<T>{x[k]});
        bound += std::abs(value) * wide<T>{w[k]};
      }
      const double error = static_cast<double>(given + 2) * epsilon<T>;
      ASSERT_NEAR(static_cast<double>(y[at] - sum), 0, error * static_cast<double>(size));
      ASSERT_NEAR(static_cast<double>(z[at] - bound), 0,
                  error * (1 + std::abs(static_cast<double>(bound))));
    }
  }
};
TYPED_TEST_SUITE(checksum_ops, real_types);

TYPED_TEST(checksum_ops, multiply_a_matrix_and_its_absolute_values) {
  using T = TypeParam;
  using V = in_buffer<T>;
  constexpr std::size_t sizes[][2] = {{0, 5},   {5, 0},    {1, 1},    {7, 63},
                                      {64, 65}, {33, 130}, {130, 16}, {257, 1025}};
  for (const auto& [m, n] : sizes) {
    for (const std::size_t padding : {0u, 3u}) {
      SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n));
      tensor<T> a({m, n}, padding), left({m}), left_weights({m}), right({n}), right_weights({n});
      tensor<T> y({n}), z({n}), v({m}), w({m});
      for (tensor<T>* const each : {&a, &left, &left_weights, &right, &right_weights}) {
        each->fill(this->random_);
      }
      launch(*ops::column_checksums
                  .template resolve<in_buffer<T, 2>, V, V, out_buffer<T>, out_buffer<T>>()
                  .definition(),
             this->lanes_, {},
             {a.argument(), left.argument(), left_weights.argument(), y.argument(), z.argument()});
      this->check(a, true, left, left_weights, y, z, m);
      launch(
          *ops::row_checksums
               .template resolve<in_buffer<T, 2>, V, V, out_buffer<T>, out_buffer<T>>()
               .definition(),
          this->lanes_, {},
          {a.argument(), right.argument(), right_weights.argument(), v.argument(), w.argument()});
      this->check(a, false, right, right_weights, v, w, n);
      EXPECT_TRUE(y.intact() && z.intact() && v.intact() && w.intact());
    }
  }
}

TEST(checksums, refuse_extents_that_do_not_fit) {
  using T = float;
  EXPECT_EQ(
      refusal(
          *ops::row_checksums
               .resolve<in_buffer<T, 2>, in_buffer<T>, in_buffer<T>, out_buffer<T>, out_buffer<T>>()
               .definition(),
          {{8, 7}, {7}, {7}, {8}, {7}}),
      "Kernel \"row_checksums\" is given a checksum of 7, but its matrix asks for one of 8.");
  EXPECT_EQ(
      refusal(
          *ops::column_checksums
               .resolve<in_buffer<T, 2>, in_buffer<T>, in_buffer<T>, out_buffer<T>, out_buffer<T>>()
               .definition(),
          {{8, 7}, {7}, {8}, {7}, {7}}),
      "Kernel \"column_checksums\" is given a factor of 7, but its matrix asks for one of "
      "8.");
}

}  // namespace
}  // namespace hocket::testing
