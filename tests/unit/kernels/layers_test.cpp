// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <gtest/gtest.h>

#include <hocket/core/error.hpp>
#include <hocket/kernels/ops.hpp>

#include "support.hpp"

namespace hocket::testing {
namespace {

const std::size_t sizes[][2] = {{0, 5},  {5, 0},   {1, 1},    {1, 10},    {7, 63},
                                {7, 64}, {64, 65}, {33, 130}, {1025, 257}};

template <class T>
class layer_ops : public typed_random_test<T> {
 protected:
  /// Calls f(rows, columns, padding).
  template <class F>
  void for_shapes(F f) {
    for (const auto& [rows, columns] : sizes) {
      for (std::size_t padding : {0u, 3u}) {
        SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + " padded by " +
                     std::to_string(padding));
        f(rows, columns, padding);
      }
    }
  }

  void fill_labels(tensor<std::int32_t>& labels, std::size_t classes) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      labels[i] = static_cast<std::int32_t>(this->random_() % classes);
    }
  }
};
TYPED_TEST_SUITE(layer_ops, real_types);

TYPED_TEST(layer_ops, bias_forward_with_and_without_relu) {
  using T = TypeParam;
  this->for_shapes([&](std::size_t m, std::size_t n, std::size_t padding) {
    tensor<T> x({m, n}, padding), bias({n}), plain({m, n}, padding), relu({m, n});
    x.fill(this->random_);
    bias.fill(this->random_);
    const auto& forward =
        ops::bias_forward.resolve<in_buffer<T, 2>, in_buffer<T, 1>, out_buffer<T, 2>>();
    const auto& relu_forward =
        ops::bias_relu_forward.resolve<in_buffer<T, 2>, in_buffer<T, 1>, out_buffer<T, 2>>();
    launch(*forward.definition(), this->lanes_, {},
           {x.argument(), bias.argument(), plain.argument()});
    launch(*relu_forward.definition(), this->lanes_, {},
           {x.argument(), bias.argument(), relu.argument()});
    for (std::size_t i = 0; i < m * n; ++i) {
      ASSERT_TRUE(is_rounded(plain[i], wide<T>{x[i]} + bias[i % n]));
      ASSERT_EQ(relu[i], std::max(plain[i], T{0}));
    }
    EXPECT_TRUE(plain.intact() && relu.intact());
    launch(*forward.definition(), this->lanes_, {}, {x.argument(), bias.argument(), x.argument()});
    EXPECT_EQ(x.values(), plain.values()) << "in place";
  });
}

TYPED_TEST(layer_ops, bias_backward_overwrites_and_accumulates) {
  using T = TypeParam;
  this->for_shapes([&](std::size_t m, std::size_t n, std::size_t padding) {
    tensor<T> dy({m, n}, padding), written({n}), updated({n});
    dy.fill(this->random_);
    updated.fill(this->random_);
    const auto before = updated.values();
    launch(*ops::bias_backward.resolve<in_buffer<T, 2>, out_buffer<T, 1>>().definition(),
           this->lanes_, {}, {dy.argument(), written.argument()});
    launch(*ops::bias_backward.resolve<in_buffer<T, 2>, inout_buffer<T, 1>>().definition(),
           this->lanes_, {}, {dy.argument(), updated.argument()});
    for (std::size_t j = 0; j < n; ++j) {
      wide<T> sum = 0, magnitude = 1;
      for (std::size_t i = 0; i < m; ++i) {
        sum += dy(i, j);
        magnitude += std::abs(dy(i, j));
      }
      const double bound = static_cast<double>(m + 1) * epsilon<T> * static_cast<double>(magnitude);
      ASSERT_NEAR(static_cast<double>(written[j] - sum), 0, bound);
      ASSERT_EQ(updated[j], before[j] + written[j]) << "the sum is added once, at the end";
    }
    EXPECT_TRUE(written.intact() && updated.intact());
  });
}

TYPED_TEST(layer_ops, bias_relu_backward) {
  using T = TypeParam;
  this->for_shapes([&](std::size_t m, std::size_t n, std::size_t padding) {
    tensor<T> y({m, n}, padding), dy({m, n}, padding), dx({m, n}), dbias({n}), sums({n});
    y.fill(this->random_);
    dy.fill(this->random_);
    for (std::size_t i = 0; i < m * n; ++i) y[i] = std::max(y[i], T{0});
    const auto& backward =
        *ops::bias_relu_backward
             .resolve<in_buffer<T, 2>, in_buffer<T, 2>, out_buffer<T, 2>, out_buffer<T, 1>>()
             .definition();
    launch(backward, this->lanes_, {},
           {y.argument(), dy.argument(), dx.argument(), dbias.argument()});
    for (std::size_t i = 0; i < m * n; ++i) ASSERT_EQ(dx[i], y[i] > 0 ? dy[i] : T{0});
    launch(*ops::bias_backward.resolve<in_buffer<T, 2>, out_buffer<T, 1>>().definition(),
           this->lanes_, {}, {dx.argument(), sums.argument()});
    EXPECT_TRUE(same_bits(dbias.values(), sums.values()));
    EXPECT_TRUE(dx.intact() && dbias.intact());
    launch(backward, this->lanes_, {},
           {y.argument(), dy.argument(), dy.argument(), dbias.argument()});
    EXPECT_TRUE(same_bits(dy.values(), dx.values()) && same_bits(dbias.values(), sums.values()))
        << "in place";
  });
}

TYPED_TEST(layer_ops, softmax_cross_entropy) {
  using T = TypeParam;
  this->for_shapes([&](std::size_t m, std::size_t n, std::size_t padding) {
    if (n == 0) return;
    tensor<T> logits({m, n}, padding), loss({m}), gradient({m, n}, 3 - padding);
    tensor<std::int32_t> labels({m});
    logits.fill(this->random_, -6, 6);
    for (std::size_t i = 0; i < logits.size(); i += 5) logits[i] += T{1000};
    this->fill_labels(labels, n);
    const T scale = static_cast<T>(0.125);
    launch(*ops::softmax_cross_entropy_forward
                .resolve<in_buffer<T, 2>, in_buffer<std::int32_t>, out_buffer<T>>()
                .definition(),
           this->lanes_, {}, {logits.argument(), labels.argument(), loss.argument()});
    launch(*ops::softmax_cross_entropy_backward
                .resolve<T, in_buffer<T, 2>, in_buffer<std::int32_t>, out_buffer<T, 2>>()
                .definition(),
           this->lanes_, {scalar_argument::of(scale)},
           {logits.argument(), labels.argument(), gradient.argument()});
    for (std::size_t i = 0; i < m; ++i) {
      wide<T> top = logits(i, 0), sum = 0;
      for (std::size_t j = 0; j < n; ++j) top = std::max(top, wide<T>{logits(i, j)});
      for (std::size_t j = 0; j < n; ++j) sum += std::exp(logits(i, j) - top);
      const auto label = static_cast<std::size_t>(labels[i]);
      const wide<T> distance = top - logits(i, label);
      // The difference to the top, exact but for one rounding, is at most 12 where it counts: what
      // lies 1000 below contributes nothing to the sum.
      const double bound =
          epsilon<T> * (static_cast<double>(n + 16) + 3 * static_cast<double>(distance));
      ASSERT_NEAR(static_cast<double>(loss[i] - (std::log(sum) + distance)), 0, bound);
      for (std::size_t j = 0; j < n; ++j) {
        const wide<T> expected =
            scale * (std::exp(logits(i, j) - top) / sum - (j == label ? 1 : 0));
        ASSERT_NEAR(static_cast<double>(gradient(i, j) - expected), 0,
                    epsilon<T> * 0.125 * static_cast<double>(n + 20));
      }
    }
    EXPECT_TRUE(loss.intact() && gradient.intact());
    launch(*ops::softmax_cross_entropy_backward
                .resolve<T, in_buffer<T, 2>, in_buffer<std::int32_t>, out_buffer<T, 2>>()
                .definition(),
           this->lanes_, {scalar_argument::of(scale)},
           {logits.argument(), labels.argument(), logits.argument()});
    EXPECT_TRUE(same_bits(logits.values(), gradient.values())) << "in place";
  });
}

TYPED_TEST(layer_ops, count_correct_takes_the_first_largest) {
  using T = TypeParam;
  tensor<T> logits({4, 3}, 1);
  const T nan = std::numeric_limits<T>::quiet_NaN();
  logits.assign({1, 3, 2, /**/ 5, 5, 1, /**/ 5, 5, 1, /**/ nan, 1, 0});
  tensor<std::int32_t> labels({4});
  labels.assign({1, 0, 1, 1});
  const auto& count =
      *ops::count_correct.resolve<in_buffer<T, 2>, in_buffer<std::int32_t>>().definition();
  EXPECT_EQ(
      launch_value<std::int64_t>(count, this->lanes_, {}, {logits.argument(), labels.argument()}),
      2);
}

TYPED_TEST(layer_ops, bits_do_not_depend_on_the_lanes) {
  using T = TypeParam;
  tensor<T> y({700, 300}), dy({700, 300}), dx({700, 300}), again({700, 300});
  tensor<T> bias({300}), bias_again({300});
  tensor<std::int32_t> labels({700});
  y.fill(this->random_);
  dy.fill(this->random_);
  this->fill_labels(labels, 300);
  threaded_lanes threads(3);
  const auto& backward =
      *ops::bias_relu_backward
           .resolve<in_buffer<T, 2>, in_buffer<T, 2>, out_buffer<T, 2>, out_buffer<T>>()
           .definition();
  launch(backward, this->lanes_, {}, {y.argument(), dy.argument(), dx.argument(), bias.argument()});
  launch(backward, threads, {},
         {y.argument(), dy.argument(), again.argument(), bias_again.argument()});
  EXPECT_TRUE(same_bits(dx.values(), again.values()));
  EXPECT_TRUE(same_bits(bias.values(), bias_again.values()));
  const auto& softmax =
      *ops::softmax_cross_entropy_backward
           .resolve<T, in_buffer<T, 2>, in_buffer<std::int32_t>, out_buffer<T, 2>>()
           .definition();
  launch(softmax, this->lanes_, {scalar_argument::of(T{1})},
         {y.argument(), labels.argument(), dx.argument()});
  launch(softmax, threads, {scalar_argument::of(T{1})},
         {y.argument(), labels.argument(), again.argument()});
  EXPECT_TRUE(same_bits(dx.values(), again.values()));
}

TEST(layers, nan_is_not_hidden) {
  tensor<float> x({1, 2}), bias({2}), y({1, 2}), loss({1});
  x.assign({std::numeric_limits<float>::quiet_NaN(), 1});
  bias.assign({0, 0});
  tensor<std::int32_t> labels({1});
  labels.assign({1});
  shuffled_lanes lanes(1);
  launch(
      *ops::bias_relu_forward.resolve<in_buffer<float, 2>, in_buffer<float>, out_buffer<float, 2>>()
           .definition(),
      lanes, {}, {x.argument(), bias.argument(), y.argument()});
  EXPECT_TRUE(std::isnan(y[0]));
  launch(*ops::softmax_cross_entropy_forward
              .resolve<in_buffer<float, 2>, in_buffer<std::int32_t>, out_buffer<float>>()
              .definition(),
         lanes, {}, {x.argument(), labels.argument(), loss.argument()});
  EXPECT_TRUE(std::isnan(loss[0]));
}

TEST(layers, a_label_out_of_range_fails_the_task) {
  tensor<float> logits({2, 10}), loss({2});
  tensor<std::int32_t> labels({2});
  labels.assign({3, 10});
  shuffled_lanes lanes(1);
  const auto& forward =
      *ops::softmax_cross_entropy_forward
           .resolve<in_buffer<float, 2>, in_buffer<std::int32_t>, out_buffer<float>>()
           .definition();
  try {
    launch(forward, lanes, {}, {logits.argument(), labels.argument(), loss.argument()});
    FAIL();
  } catch (const error& failed) {
    EXPECT_EQ(failed.code(), failure_code::task_failed);
    EXPECT_STREQ(failed.what(),
                 "Kernel \"softmax_cross_entropy_forward\" finds label 10 in row 1; labels are "
                 "from 0 to 9.");
  }
}

TEST(layers, refuse_extents_that_do_not_fit) {
  using T = float;
  EXPECT_EQ(
      refusal(*ops::bias_relu_forward.resolve<in_buffer<T, 2>, in_buffer<T>, out_buffer<T, 2>>()
                   .definition(),
              {{8, 7}, {5}, {8, 7}}),
      "Kernel \"bias_relu_forward\" is given a bias of 5, but the columns of its input ask "
      "for one of 7.");
  EXPECT_EQ(refusal(*ops::bias_backward.resolve<in_buffer<T, 2>, inout_buffer<T>>().definition(),
                    {{8, 7}, {8}}),
            "Kernel \"bias_backward_accumulate\" is given a gradient of the bias of 8, but the "
            "columns of its input ask for one of 7.");
  const auto& softmax = *ops::softmax_cross_entropy_forward
                             .resolve<in_buffer<T, 2>, in_buffer<std::int32_t>, out_buffer<T>>()
                             .definition();
  EXPECT_EQ(refusal(softmax, {{8, 7}, {7}, {8}}),
            "Kernel \"softmax_cross_entropy_forward\" is given labels of 7, but the rows of the "
            "logits ask for labels of 8.");
  EXPECT_EQ(refusal(softmax, {{8, 0}, {8}, {8}}),
            "Kernel \"softmax_cross_entropy_forward\" is given logits of 8 x 0; there must be at "
            "least one class.");
}

}  // namespace
}  // namespace hocket::testing
