// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/kernels/matrix_ops.hpp>

#include <gtest/gtest.h>

#include <hocket/core/error.hpp>

#include "support.hpp"

namespace hocket::testing {
namespace {

template <class T>
class matrix_ops : public typed_random_test<T> {
 protected:
  static constexpr T nan = std::numeric_limits<T>::quiet_NaN();

  /// Of a lower triangle: nothing above the diagonal may be read.
  static void spoil_upper(tensor<T>& square) {
    const std::size_t order = square.extents()[0];
    for (std::size_t i = 0; i < order; ++i) {
      for (std::size_t j = i + 1; j < order; ++j) square[i * order + j] = nan;
    }
  }

  /// A lower triangle by which systems are solved without losing digits.
  void fill_triangle(tensor<T>& l) {
    l.fill(this->random_);
    const std::size_t order = l.extents()[0];
    for (std::size_t i = 0; i < order; ++i) l[i * order + i] = static_cast<T>(order + 1);
    spoil_upper(l);
  }

  template <class Family>
  void launch_trsm(const Family& family, const tensor<T>& l, tensor<T>& b) {
    launch(*family.template resolve<in_buffer<T, 2>, inout_buffer<T, 2>>().definition(),
           this->lanes_, {}, {l.argument(), b.argument()});
    EXPECT_TRUE(b.intact());
  }

  template <class K, class... A>
  static std::string refusal(const K& kernel, lane_group& lanes, const A&... arrays) {
    try {
      launch(*kernel.definition(), lanes, {}, {arrays.argument()...});
    } catch (const usage_error& e) {
      return e.what();
    }
    return "";
  }
};
TYPED_TEST_SUITE(matrix_ops, real_types);

TYPED_TEST(matrix_ops, syrk_makes_the_lower_triangle) {
  using T = TypeParam;
  const auto& kernel =
      *ops::syrk_lower.resolve<T, in_buffer<T, 2>, T, inout_buffer<T, 2>>().definition();
  constexpr std::size_t sizes[][2] = {{0, 3}, {1, 1}, {3, 0}, {17, 40}, {70, 9}};
  for (const auto& [n, k] : sizes) {
    for (const std::size_t padding : {0U, 3U}) {
      for (const auto& [alpha, beta] :
           {std::pair{T{-0.5}, T{0}}, {T{-0.5}, T{0.75}}, {T{0}, T{0.75}}}) {
        SCOPED_TRACE(std::to_string(n) + " " + std::to_string(k));
        tensor<T> a({n, k}, padding), c({n, n}, padding / 2);
        a.fill(this->random_);
        c.fill(this->random_);
        std::vector<T> before = c.values();
        if (beta == 0 && n > 0) {  // an element that is scaled by zero is not read
          c[0] = this->nan;
          before[0] = 0;
        }
        if (alpha == 0 && a.size() > 0) a[0] = this->nan;
        launch(kernel, this->lanes_, {scalar_argument::of(alpha), scalar_argument::of(beta)},
               {a.argument(), c.argument()});
        EXPECT_TRUE(c.intact());
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t j = 0; j < n; ++j) {
            wide<T> expected = before[i * n + j];
            if (j <= i) {
              wide<T> sum = 0;
              for (std::size_t l = 0; l < k; ++l) sum += wide<T>{a(i, l)} * a(j, l);
              expected = (alpha == 0 ? 0 : alpha * sum) + beta * expected;
            }
            ASSERT_NEAR(static_cast<double>(c(i, j) - expected), 0,
                        static_cast<double>(k + 2) * epsilon<T>);
          }
        }
      }
    }
  }
}

TYPED_TEST(matrix_ops, trsm_solves_what_was_multiplied) {
  using T = TypeParam;
  constexpr std::size_t sizes[][2] = {{0, 3}, {3, 0}, {1, 1}, {1, 20}, {33, 17}, {40, 70}};
  for (const auto& [order, others] : sizes) {
    for (const std::size_t padding : {0U, 3U}) {
      SCOPED_TRACE(std::to_string(order) + " " + std::to_string(others));
      tensor<T> l({order, order}, padding), x({order, others});
      this->fill_triangle(l);
      x.fill(this->random_);
      tensor<T> lower({order, others}, padding), transposed({order, others}, padding),
          right({others, order}, padding);
      for (std::size_t i = 0; i < order; ++i) {
        for (std::size_t q = 0; q < others; ++q) {
          wide<T> below = 0, above = 0;
          for (std::size_t j = 0; j <= i; ++j) below += wide<T>{l(i, j)} * x(j, q);
          for (std::size_t j = i; j < order; ++j) above += wide<T>{l(j, i)} * x(j, q);
          lower[i * others + q] = static_cast<T>(below);
          transposed[i * others + q] = static_cast<T>(above);
          right[q * order + i] = static_cast<T>(below);  // the transpose of L X
        }
      }
      this->launch_trsm(ops::trsm_lower, l, lower);
      this->launch_trsm(ops::trsm_lower_transposed, l, transposed);
      this->launch_trsm(ops::trsm_right_lower_transposed, l, right);
      for (std::size_t i = 0; i < order; ++i) {
        for (std::size_t q = 0; q < others; ++q) {
          ASSERT_NEAR(lower(i, q), x(i, q), 8 * epsilon<T>);
          ASSERT_NEAR(transposed(i, q), x(i, q), 8 * epsilon<T>);
          ASSERT_NEAR(right(q, i), x(i, q), 8 * epsilon<T>);
        }
      }
    }
  }
}

TYPED_TEST(matrix_ops, potrf_gives_a_root) {
  using T = TypeParam;
  const auto& kernel = *ops::potrf_lower.resolve<inout_buffer<T, 2>>().definition();
  for (const std::size_t n : {0U, 1U, 2U, 33U, 130U}) {
    for (const std::size_t padding : {0U, 3U}) {
      SCOPED_TRACE(n);
      tensor<T> root({n, n}), a({n, n}, padding);
      this->fill_triangle(root);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
          wide<T> sum = 0;
          for (std::size_t k = 0; k <= j; ++k) sum += wide<T>{root(i, k)} * root(j, k);
          a[i * n + j] = static_cast<T>(sum);
        }
      }
      this->spoil_upper(a);
      launch(kernel, this->lanes_, {}, {a.argument()});
      EXPECT_TRUE(a.intact());
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
          ASSERT_NEAR(a(i, j), root(i, j), static_cast<double>(8 * n) * epsilon<T>);
        }
        for (std::size_t j = i + 1; j < n; ++j) ASSERT_TRUE(std::isnan(a(i, j)));
      }
    }
  }
}

TYPED_TEST(matrix_ops, getrf_gives_factors_of_the_exchanged_rows) {
  using T = TypeParam;
  const auto& kernel =
      *ops::getrf.resolve<inout_buffer<T, 2>, out_buffer<std::int32_t>>().definition();
  for (const auto& [m, n] : {std::pair{0U, 3U}, {1U, 1U}, {5U, 5U}, {70U, 33U}, {40U, 90U}}) {
    for (const std::size_t padding : {0U, 3U}) {
      SCOPED_TRACE(std::to_string(m) + " " + std::to_string(n));
      const std::size_t least = std::min(m, n);
      tensor<T> a({m, n}, padding);
      tensor<std::int32_t> pivots({least});
      a.fill(this->random_);
      std::vector<T> rows = a.values();
      launch(kernel, this->lanes_, {}, {a.argument(), pivots.argument()});
      EXPECT_TRUE(a.intact());
      for (std::size_t i = 0; i < least; ++i) {
        const auto with = static_cast<std::size_t>(pivots.values()[i]);
        ASSERT_TRUE(with >= i && with < m);
        std::swap_ranges(&rows[i * n], &rows[i * n] + n, &rows[with * n]);
      }
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          wide<T> product = 0;
          for (std::size_t k = 0; k <= std::min(i, j) && k < least; ++k) {
            product += (k == i ? wide<T>{1} : wide<T>{a(i, k)}) * a(k, j);
          }
          ASSERT_NEAR(static_cast<T>(product), rows[i * n + j],
                      static_cast<double>(8 * least) * epsilon<T>);
        }
      }
    }
  }
  tensor<T> singular({2, 2});
  singular.assign({1, 2, 2, 4});
  tensor<std::int32_t> pivots({2});
  EXPECT_THROW(launch(kernel, this->lanes_, {}, {singular.argument(), pivots.argument()}), error);
  tensor<std::int32_t> too_many({3});
  EXPECT_NE(this->refusal(ops::getrf.resolve<inout_buffer<T, 2>, out_buffer<std::int32_t>>(),
                          this->lanes_, singular, too_many),
            "");
}

TYPED_TEST(matrix_ops, potrf_says_which_minor_is_not_positive) {
  using T = TypeParam;
  const auto minor_of = [this](const std::vector<T>& values) -> std::string {
    tensor<T> a({3, 3});
    a.assign(values);
    try {
      launch(*ops::potrf_lower.resolve<inout_buffer<T, 2>>().definition(), this->lanes_, {},
             {a.argument()});
    } catch (const error& e) {
      EXPECT_EQ(e.code(), failure_code::task_failed);
      const std::string text = e.what();
      const std::size_t at = text.find("minor of order ");
      return at == std::string::npos ? text : text.substr(at, 16);
    }
    return "none";
  };
  EXPECT_EQ(minor_of({4, 0, 0, 2, 5, 0, 2, 3, 9}), "none");
  EXPECT_EQ(minor_of({4, 0, 0, 2, 5, 0, 2, 3, -1}), "minor of order 3");
  EXPECT_EQ(minor_of({0, 0, 0, 2, 5, 0, 2, 3, 9}), "minor of order 1");
  EXPECT_EQ(minor_of({this->nan, 0, 0, 2, 5, 0, 2, 3, 9}), "minor of order 1");
  EXPECT_EQ(minor_of({4, 0, 0, this->nan, 5, 0, 2, 3, 9}), "minor of order 2");
}

TYPED_TEST(matrix_ops, refuse_shapes_that_do_not_fit) {
  using T = TypeParam;
  const tensor<T> square({3, 3}), wide_one({3, 4}), other({4, 4});
  const auto& trsm = ops::trsm_lower.resolve<in_buffer<T, 2>, inout_buffer<T, 2>>();
  const auto& right =
      ops::trsm_right_lower_transposed.resolve<in_buffer<T, 2>, inout_buffer<T, 2>>();
  const auto& potrf = ops::potrf_lower.resolve<inout_buffer<T, 2>>();
  const auto& syrk = ops::syrk_lower.resolve<T, in_buffer<T, 2>, T, inout_buffer<T, 2>>();
  EXPECT_EQ(this->refusal(potrf, this->lanes_, wide_one),
            "Kernel \"potrf_lower\" is given a matrix of 3 x 4; it must be square.");
  EXPECT_EQ(this->refusal(trsm, this->lanes_, wide_one, square),
            "Kernel \"trsm_lower\" is given a triangle of 3 x 4; it must be square.");
  EXPECT_EQ(
      this->refusal(trsm, this->lanes_, other, wide_one),
      "Kernel \"trsm_lower\" is given a triangle of 4 x 4, but the right side asks for one of "
      "3 x 3.");
  EXPECT_EQ(
      this->refusal(right, this->lanes_, square, wide_one),
      "Kernel \"trsm_right_lower_transposed\" is given a triangle of 3 x 3, but the right side "
      "asks for one of 4 x 4.");
  EXPECT_EQ(this->refusal(syrk, this->lanes_, wide_one, other),
            "Kernel \"syrk_lower\" is given a result of 4 x 4, but its matrix asks for one of 3 x "
            "3.");
}

}  // namespace
}  // namespace hocket::testing
