// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/kernels/elementwise.hpp>

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include <hocket/core/error.hpp>
#include <hocket/kernels/ops.hpp>

#include "support.hpp"

namespace hocket::testing {
namespace {

const std::vector<index_list> shapes = {{},      {0},        {1},         {7},      {1000},
                                        {0, 5},  {5, 0},     {1, 1},      {13, 17}, {3, 1, 7},
                                        {70001}, {301, 257}, {2, 3, 4, 5}};

template <class T>
class elementwise_ops : public typed_random_test<T> {
 protected:
  /// Calls f(extents, padding) for each shape, dense and strided.
  template <class F>
  void for_shapes(F f) {
    for (const index_list& extents : shapes) {
      for (std::size_t padding : {0u, 3u}) {
        SCOPED_TRACE(to_string(extents) + " padded by " + std::to_string(padding));
        f(extents, padding);
      }
    }
  }
};
TYPED_TEST_SUITE(elementwise_ops, real_types);

TYPED_TEST(elementwise_ops, fill_and_copy) {
  using T = TypeParam;
  this->for_shapes([&](const index_list& extents, std::size_t padding) {
    tensor<T> x(extents, padding), y(extents, 3 - padding);
    const auto& fill = ops::fill.resolve<double, out_buffer<T, 1>>();
    launch(*fill.definition(), this->lanes_, {scalar_argument::of(T{5})}, {x.argument()});
    EXPECT_EQ(x.values(), std::vector<T>(x.size(), T{5}));
    x.fill(this->random_);
    const auto& copy = ops::copy.resolve<in_buffer<T, 1>, out_buffer<T, 1>>();
    launch(*copy.definition(), this->lanes_, {}, {x.argument(), y.argument()});
    EXPECT_EQ(x.values(), y.values());
    EXPECT_TRUE(x.intact() && y.intact());
  });
}

TYPED_TEST(elementwise_ops, add_and_mul_round_once) {
  using T = TypeParam;
  this->for_shapes([&](const index_list& extents, std::size_t padding) {
    tensor<T> x(extents, padding), y(extents), sum(extents, 1), product(extents, padding);
    x.fill(this->random_);
    y.fill(this->random_);
    const auto& add = ops::add.resolve<in_buffer<T, 1>, in_buffer<T, 1>, out_buffer<T, 1>>();
    const auto& mul = ops::mul.resolve<in_buffer<T, 1>, in_buffer<T, 1>, out_buffer<T, 1>>();
    launch(*add.definition(), this->lanes_, {}, {x.argument(), y.argument(), sum.argument()});
    launch(*mul.definition(), this->lanes_, {}, {x.argument(), y.argument(), product.argument()});
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_TRUE(is_rounded(sum[i], wide<T>{x[i]} + wide<T>{y[i]}));
      ASSERT_TRUE(is_rounded(product[i], wide<T>{x[i]} * wide<T>{y[i]}));
    }
    EXPECT_TRUE(sum.intact() && product.intact());
  });
}

TYPED_TEST(elementwise_ops, axpy) {
  using T = TypeParam;
  this->for_shapes([&](const index_list& extents, std::size_t padding) {
    tensor<T> x(extents, padding), y(extents, padding);
    x.fill(this->random_);
    y.fill(this->random_);
    const std::vector<T> before = y.values();
    const T a = static_cast<T>(1.7);
    const auto& axpy = ops::axpy.resolve<T, in_buffer<T, 1>, inout_buffer<T, 1>>();
    launch(*axpy.definition(), this->lanes_, {scalar_argument::of(a)},
           {x.argument(), y.argument()});
    for (std::size_t i = 0; i < x.size(); ++i) {
      const wide<T> product = wide<T>{a} * x[i];
      const auto bound = epsilon<T> * static_cast<double>(std::abs(product) + std::abs(before[i]));
      ASSERT_NEAR(static_cast<double>(y[i] - (product + before[i])), 0, bound);
    }
    EXPECT_TRUE(y.intact());
  });
}

TYPED_TEST(elementwise_ops, sgd_with_momentum) {
  using T = TypeParam;
  this->for_shapes([&](const index_list& extents, std::size_t padding) {
    tensor<T> gradient(extents), velocity(extents, padding), weight(extents, padding);
    gradient.fill(this->random_);
    velocity.fill(this->random_);
    weight.fill(this->random_);
    const auto v = velocity.values(), w = weight.values();
    const T rate = static_cast<T>(0.1), momentum = static_cast<T>(0.9);
    const auto& sgd =
        ops::sgd_momentum.resolve<T, T, in_buffer<T, 1>, inout_buffer<T, 1>, inout_buffer<T, 1>>();
    launch(*sgd.definition(), this->lanes_,
           {scalar_argument::of(rate), scalar_argument::of(momentum)},
           {gradient.argument(), velocity.argument(), weight.argument()});
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const wide<T> next = wide<T>{momentum} * v[i] + gradient[i];
      ASSERT_NEAR(static_cast<double>(velocity[i] - next), 0, 3 * epsilon<T>);
      ASSERT_NEAR(static_cast<double>(weight[i] - (w[i] - wide<T>{rate} * next)), 0,
                  3 * epsilon<T>);
    }
    EXPECT_TRUE(velocity.intact() && weight.intact());
  });
}

TYPED_TEST(elementwise_ops, work_in_place) {
  using T = TypeParam;
  tensor<T> x({65, 1025}, 2);
  x.fill(this->random_);
  const auto before = x.values();
  const auto& add = ops::add.resolve<in_buffer<T, 1>, in_buffer<T, 1>, out_buffer<T, 1>>();
  EXPECT_TRUE(add.definition()->in_place);
  launch(*add.definition(), this->lanes_, {}, {x.argument(), x.argument(), x.argument()});
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[i], 2 * before[i]);
}

TYPED_TEST(elementwise_ops, bits_do_not_depend_on_the_lanes) {
  using T = TypeParam;
  tensor<T> x({300, 1001}, 5), y({300, 1001}), again({300, 1001});
  x.fill(this->random_);
  y.fill(this->random_);
  again.assign(y.values());
  const auto& axpy = ops::axpy.resolve<T, in_buffer<T, 2>, inout_buffer<T, 2>>();
  threaded_lanes threads(3);
  const T a = static_cast<T>(0.3);
  launch(*axpy.definition(), this->lanes_, {scalar_argument::of(a)}, {x.argument(), y.argument()});
  launch(*axpy.definition(), threads, {scalar_argument::of(a)}, {x.argument(), again.argument()});
  EXPECT_TRUE(same_bits(y.values(), again.values()));
  EXPECT_EQ(axpy.definition()->width_of({{300, 1001}, {300, 1001}}), body_width::wide);
  EXPECT_EQ(axpy.definition()->width_of({{30, 10}, {30, 10}}), body_width::serial);
}

TEST(elementwise, takes_a_lambda_with_select_over_several_element_types) {
  const auto clip = elementwise("clip", [](const auto& x, auto limit, auto& y, auto& clipped) {
    y = select(x > limit, limit, x);
    clipped = select(x > limit, clipped + 1, clipped);
  });
  tensor<double> x({3, 3}, 1), y({3, 3});
  tensor<std::int32_t> clipped({3, 3}, 2);
  for (std::size_t i = 0; i < 9; ++i) {
    x[i] = static_cast<double>(i);
    clipped[i] = 10;
  }
  shuffled_lanes lanes(1);
  const auto& kernel = clip.resolve<in_buffer<double, 2>, int, out_buffer<double, 2>,
                                    inout_buffer<std::int32_t, 2>>();
  launch(*kernel.definition(), lanes, {scalar_argument::of(5.0)},
         {x.argument(), y.argument(), clipped.argument()});
  EXPECT_EQ(y.values(), (std::vector<double>{0, 1, 2, 3, 4, 5, 5, 5, 5}));
  EXPECT_EQ(clipped.values(), (std::vector<std::int32_t>{10, 10, 10, 10, 10, 10, 11, 11, 11}));
}

TEST(elementwise, refuses_buffers_of_different_extents) {
  const auto& add =
      ops::add.resolve<in_buffer<float, 2>, in_buffer<float, 2>, out_buffer<float, 2>>();
  EXPECT_EQ(refusal(*add.definition(), {{32, 16}, {32, 16}, {32, 17}}),
            "Kernel \"add\" needs buffers of equal extents, but buffer 1 is 32 x 16 and buffer 3 "
            "is 32 x 17.");
  EXPECT_EQ(refusal(*add.definition(), {{32, 16}, {32, 16}, {32, 16}}), "");
}

TEST(elementwise, integers_wrap_around) {
  tensor<std::int32_t> x({2}), y({2});
  x.assign({std::numeric_limits<std::int32_t>::max(), 1 << 20});
  y.assign({1, 1 << 20});
  shuffled_lanes lanes(1);
  tensor<std::int32_t> z({2});
  using I = std::int32_t;
  launch(*ops::add.resolve<in_buffer<I>, in_buffer<I>, out_buffer<I>>().definition(), lanes, {},
         {x.argument(), y.argument(), z.argument()});
  EXPECT_EQ(z[0], std::numeric_limits<I>::min());
  launch(*ops::mul.resolve<in_buffer<I>, in_buffer<I>, out_buffer<I>>().definition(), lanes, {},
         {x.argument(), y.argument(), z.argument()});
  EXPECT_EQ(z[1], 0);
}

TEST(elementwise, reads_all_before_it_writes_where_parameters_are_one_region) {
  const auto two_results =
      elementwise("two_results", [](const auto& p, const auto& q, auto& x, auto& y) {
        x = p + 1;
        y = q;
      });
  const auto two_steps = elementwise("two_steps", [](const auto& p, auto& x) {
    x += p;
    x *= p;
  });
  using I = in_buffer<float>;
  using O = out_buffer<float>;
  const kernel_ref both = two_results.resolve<I, I, O, O>().definition();
  const kernel_ref twice = two_steps.resolve<I, inout_buffer<float>>().definition();
  shuffled_lanes lanes(1);
  for (const std::size_t padding : {0u, 3u}) {
    tensor<float> a({13, 17}, padding), y({13, 17}, padding);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i);
    launch(*both, lanes, {}, {a.argument(), a.argument(), a.argument(), y.argument()});
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(a[i], static_cast<float>(i + 1));
      ASSERT_EQ(y[i], static_cast<float>(i));
    }
    launch(*twice, lanes, {}, {a.argument(), a.argument()});
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(a[i], static_cast<float>(2 * (i + 1) * (i + 1)));
    }
  }
}

TEST(elementwise, has_the_least_number_as_its_own_magnitude) {
  constexpr auto least = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(abs(least), least);
  EXPECT_EQ(abs(std::numeric_limits<std::int64_t>::min()),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(abs(std::int8_t{-128}), 128);
  EXPECT_EQ(abs(-7), 7);
}

}  // namespace
}  // namespace hocket::testing
