// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/kernels/reduction.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include <hocket/kernels/ops.hpp>

#include "support.hpp"

namespace hocket::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class T>
class reduction_ops : public typed_random_test<T> {};
TYPED_TEST_SUITE(reduction_ops, real_types);

TYPED_TEST(reduction_ops, sum_and_max_agree_with_the_reference) {
  using T = TypeParam;
  const std::vector<index_list> shapes = {{},     {0},    {1},        {15},      {16},
                                          {17},   {4095}, {4096},     {4097},    {100003},
                                          {0, 3}, {1, 1}, {511, 129}, {3, 5, 7}, {66000, 2}};
  for (const index_list& extents : shapes) {
    for (std::size_t padding : {0u, 2u}) {
      SCOPED_TRACE(to_string(extents) + " padded by " + std::to_string(padding));
      tensor<T> x(extents, padding);
      x.fill(this->random_);
      wide<T> expected = 0, magnitude = 0;
      T largest = -std::numeric_limits<T>::infinity();
      for (const T value : x.values()) {
        expected += value;
        magnitude += std::abs(value);
        largest = std::max(largest, value);
      }
      const T sum = launch_value<T>(*ops::sum.resolve<in_buffer<T, 1>>().definition(), this->lanes_,
                                    {}, {x.argument()});
      const T max = launch_value<T>(*ops::max.resolve<in_buffer<T, 1>>().definition(), this->lanes_,
                                    {}, {x.argument()});
      const double bound = epsilon<T> * static_cast<double>(magnitude) *
                           static_cast<double>(std::min<std::size_t>(x.size(), 4096 / 16 + 30));
      EXPECT_NEAR(static_cast<double>(sum - expected), 0, bound);
      EXPECT_EQ(max, largest);
    }
  }
}

TYPED_TEST(reduction_ops, bits_depend_neither_on_the_lanes_nor_on_the_layout) {
  using T = TypeParam;
  tensor<T> dense({513, 777}), padded({513, 777}, 3);
  dense.fill(this->random_);
  padded.assign(dense.values());
  const auto& sum = *ops::sum.resolve<in_buffer<T, 2>>().definition();
  threaded_lanes three(3), one(1);
  const T first = launch_value<T>(sum, this->lanes_, {}, {dense.argument()});
  EXPECT_EQ(first, launch_value<T>(sum, three, {}, {dense.argument()}));
  EXPECT_EQ(first, launch_value<T>(sum, one, {}, {padded.argument()}));
  EXPECT_EQ(first, launch_value<T>(sum, three, {}, {padded.argument()}));
  EXPECT_EQ(sum.width_of({{513, 777}}), body_width::wide);
  EXPECT_EQ(sum.width_of({{513}}), body_width::serial);
}

TYPED_TEST(reduction_ops, max_keeps_nan_wherever_it_stands) {
  using T = TypeParam;
  const auto& max = *ops::max.resolve<in_buffer<T, 1>>().definition();
  for (std::size_t at : {0u, 1u, 15u, 16u, 4096u, 4999u}) {
    tensor<T> x({5000});
    x.fill(this->random_);
    x[at] = std::numeric_limits<T>::quiet_NaN();
    EXPECT_TRUE(std::isnan(launch_value<T>(max, this->lanes_, {}, {x.argument()}))) << at;
  }
}

TEST(reduction, works_on_integers) {
  tensor<std::int32_t> x({10000});
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int32_t>(i) - 20000;
  shuffled_lanes lanes(1);
  using I = std::int32_t;
  EXPECT_EQ(
      launch_value<I>(*ops::max.resolve<in_buffer<I>>().definition(), lanes, {}, {x.argument()}),
      -10001);
  EXPECT_EQ(
      launch_value<I>(*ops::sum.resolve<in_buffer<I>>().definition(), lanes, {}, {x.argument()}),
      -150005000);
}

TEST(reduction, takes_any_associative_lambda) {
  const auto product = reduction("product", 1, [](auto a, auto b) { return a * b; });
  tensor<double> x({20}), empty({0});
  for (std::size_t i = 0; i < 20; ++i) x[i] = 2;
  shuffled_lanes lanes(1);
  const auto& kernel = product.resolve<in_buffer<double>>();
  static_assert(std::is_same_v<std::decay_t<decltype(kernel)>::value_type, double>);
  EXPECT_EQ(launch_value<double>(*kernel.definition(), lanes, {}, {x.argument()}), 1048576);
  EXPECT_EQ(launch_value<double>(*kernel.definition(), lanes, {}, {empty.argument()}), 1);
}

TYPED_TEST(reduction_ops, norms_and_products_agree_with_the_reference) {
  using T = TypeParam;
  for (const index_list& extents :
       {index_list{}, {0}, {1}, {17}, {4097}, {100003}, {511, 129}, {3, 5, 7}}) {
    for (std::size_t padding : {0u, 2u}) {
      SCOPED_TRACE(to_string(extents) + " padded by " + std::to_string(padding));
      tensor<T> x(extents, padding), y(extents, padding / 2);
      x.fill(this->random_);
      y.fill(this->random_);
      const std::vector<T> left = x.values(), right = y.values();
      wide<T> product = 0, squares = 0, magnitude = 0;
      T least = std::numeric_limits<T>::infinity(), largest = 0;
      for (std::size_t i = 0; i < left.size(); ++i) {
        product += wide<T>(left[i]) * right[i];
        squares += wide<T>(left[i]) * left[i];
        magnitude += std::abs(wide<T>(left[i]) * right[i]);
        least = std::min(least, left[i]);
        largest = std::max(largest, std::abs(left[i]));
      }
      const auto value = [&](const auto& kernel, std::vector<buffer_argument> buffers) {
        return launch_value<T>(*kernel.definition(), this->lanes_, {}, std::move(buffers));
      };
      const double terms = static_cast<double>(std::min<std::size_t>(x.size(), 4096 / 16 + 30));
      const T dot =
          value(ops::dot.resolve<in_buffer<T>, in_buffer<T>>(), {x.argument(), y.argument()});
      EXPECT_NEAR(static_cast<double>(dot - product), 0,
                  epsilon<T> * static_cast<double>(magnitude) * (terms + 1));
      const T sum = value(ops::sum_of_squares.resolve<in_buffer<T>>(), {x.argument()});
      EXPECT_NEAR(static_cast<double>(sum - squares), 0,
                  epsilon<T> * static_cast<double>(squares) * (terms + 1));
      EXPECT_EQ(value(ops::min.resolve<in_buffer<T>>(), {x.argument()}), least);
      EXPECT_EQ(value(ops::max_magnitude.resolve<in_buffer<T>>(), {x.argument()}), largest);
    }
  }
}

TYPED_TEST(reduction_ops, no_number_stays_one_in_least_and_largest) {
  using T = TypeParam;
  for (std::size_t at : {0u, 1u, 15u, 16u, 4096u, 4999u}) {
    tensor<T> x({5000});
    x.fill(this->random_);
    x[at] = std::numeric_limits<T>::quiet_NaN();
    const auto& min = *ops::min.resolve<in_buffer<T>>().definition();
    const auto& magnitude = *ops::max_magnitude.resolve<in_buffer<T>>().definition();
    EXPECT_TRUE(std::isnan(launch_value<T>(min, this->lanes_, {}, {x.argument()}))) << at;
    EXPECT_TRUE(std::isnan(launch_value<T>(magnitude, this->lanes_, {}, {x.argument()}))) << at;
  }
}

TEST(reduction, wraps_products_of_integers) {
  using I = std::int32_t;
  tensor<I> x({3}), y({3});
  for (std::size_t i = 0; i < 3; ++i) x[i] = y[i] = 65536 * static_cast<I>(i + 1) + 1;
  shuffled_lanes lanes(1);
  const auto& dot = *ops::dot.resolve<in_buffer<I>, in_buffer<I>>().definition();
  // The squares are 2^17 k + 1 beyond the 32 bits that wrap.
  EXPECT_EQ(launch_value<I>(dot, lanes, {}, {x.argument(), y.argument()}), 6 * 131072 + 3);
}

TEST(reduction, a_number_in_a_map_takes_the_type_beside_it) {
  const auto plus = [](auto a, auto b) { return a + b; };
  const auto tenths = transform_reduction("tenths", 0, plus, [](const auto& x) { return x * 0.1; });
  const auto& kernel = tenths.resolve<in_buffer<float>>();
  static_assert(std::is_same_v<std::decay_t<decltype(kernel)>::value_type, float>);
  tensor<float> x({1});
  x[0] = 3;
  shuffled_lanes lanes(1);
  EXPECT_EQ(launch_value<float>(*kernel.definition(), lanes, {}, {x.argument()}), 3 * 0.1F);

  const auto squares = transform_reduction("squares", 0, plus, [](auto& x) { return x * x; });
  EXPECT_EQ(launch_value<float>(*squares.resolve<in_buffer<float>>().definition(), lanes, {},
                                {x.argument()}),
            9);

  const auto on_host = transform_reduction_on_host("gamma", 0.0, plus,
                                                   [](auto value) { return std::tgamma(value); });
  const auto& gamma = on_host.resolve<in_buffer<float>>();
  EXPECT_TRUE(gamma.definition()->sources.empty());
  EXPECT_EQ(launch_value<float>(*gamma.definition(), lanes, {}, {x.argument()}), std::tgamma(x[0]));
}

TEST(reduction, takes_a_map_of_elements_of_unlike_types) {
  const auto chosen = transform_reduction(
      "chosen", 0, [](auto a, auto b) { return a + b; },
      [](auto wanted, auto x) { return select(wanted != 0, x, x - x); });
  tensor<std::uint8_t> wanted({4, 50}, 1);
  tensor<double> x({4, 50}, 2);
  double expected = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    wanted[i] = static_cast<std::uint8_t>(i % 3);
    x[i] = static_cast<double>(i);
    if (i % 3 != 0) expected += x[i];
  }
  shuffled_lanes lanes(1);
  const auto& kernel = chosen.resolve<in_buffer<std::uint8_t>, in_buffer<double>>();
  static_assert(std::is_same_v<std::decay_t<decltype(kernel)>::value_type, double>);
  EXPECT_EQ(
      launch_value<double>(*kernel.definition(), lanes, {}, {wanted.argument(), x.argument()}),
      expected);
  EXPECT_EQ(kernel.definition()->sources.size(), 7U);
  tensor<double> longer({4, 51});
  EXPECT_THROW(
      launch_value<double>(*kernel.definition(), lanes, {}, {wanted.argument(), longer.argument()}),
      usage_error);
}

constexpr auto lesser = [](auto a, auto b) { return select(a < b, a, b); };

/// Throws what the first use of the reduction with buffers of T throws.
template <class T>
auto use_of(const auto& family) {
  return [&family] { (void)family.template resolve<in_buffer<T>>(); };
}

TEST(reduction, refuses_a_start_that_the_element_type_does_not_hold) {
  const auto least = reduction("least", 1000, lesser);
  EXPECT_THAT(use_of<std::uint8_t>(least),
              ThrowsMessage<usage_error>(AllOf(HasSubstr("\"least\" starts with 1000"),
                                               HasSubstr("the type uint8, 0 to 255"))));
  EXPECT_THROW(use_of<std::int8_t>(least)(), usage_error) << "a failed use leaves nothing behind";
  EXPECT_NO_THROW(use_of<std::int16_t>(least)());
  EXPECT_NO_THROW(use_of<float16>(least)());

  const auto below = reduction("below", -1, lesser);
  EXPECT_THAT(use_of<std::uint64_t>(below), ThrowsMessage<usage_error>(HasSubstr("with -1,")));
  EXPECT_NO_THROW(use_of<std::int64_t>(below)());

  const auto large = reduction("large", 1e30, lesser);
  EXPECT_THAT(use_of<std::int32_t>(large), ThrowsMessage<usage_error>(HasSubstr("with 1e+30,")));
  EXPECT_NO_THROW(use_of<float>(large)());
  EXPECT_NO_THROW(use_of<bfloat16>(large)());

  const auto half = reduction("half", 0.5, lesser);
  EXPECT_THAT(use_of<std::int32_t>(half), ThrowsMessage<usage_error>(HasSubstr("with 0.5,")));
  EXPECT_THROW(use_of<std::uint8_t>(reduction("half", float16(0.5f), lesser))(), usage_error);
  EXPECT_NO_THROW(use_of<float>(half)());
  EXPECT_NO_THROW(use_of<std::int32_t>(reduction("whole", 2.0, lesser))());
  EXPECT_THROW(use_of<std::int64_t>(reduction("between", -0.5f, lesser))(), usage_error);

  const auto returned = reduction_on_host(
      "returned", [](auto) { return 300; }, lesser);
  EXPECT_THROW(use_of<std::uint8_t>(returned)(), usage_error);
  EXPECT_NO_THROW(use_of<std::int32_t>(returned)());
}

TEST(reduction, takes_a_start_that_is_not_finite_for_floating_elements_alone) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto least = reduction("least", infinity, lesser);
  EXPECT_NO_THROW(use_of<float>(least)());
  EXPECT_NO_THROW(use_of<double>(least)());
  EXPECT_NO_THROW(use_of<float16>(least)());
  EXPECT_THAT(use_of<std::int32_t>(least), ThrowsMessage<usage_error>(HasSubstr("with inf,")));
  EXPECT_THROW(use_of<std::uint32_t>(reduction("greatest", -infinity, lesser))(), usage_error);
  EXPECT_THROW(use_of<std::int64_t>(reduction("nan", std::nan(""), lesser))(), usage_error);
}

TEST(reduction, refuses_a_start_that_changes_when_it_is_combined) {
  const auto plus = [](auto a, auto b) { return a + b; };
  const auto count = reduction("count", 1, plus);
  EXPECT_THAT(use_of<float>(count),
              ThrowsMessage<usage_error>(AllOf(HasSubstr("\"count\" starts with 1,"),
                                               HasSubstr("gives 2 in the type float"),
                                               HasSubstr("neutral"))));
  EXPECT_THROW(use_of<std::uint8_t>(count)(), usage_error);
  EXPECT_THROW(use_of<double>(reduction_on_host("count", 0.5, plus))(), usage_error);
  EXPECT_NO_THROW(
      use_of<std::int32_t>(reduction("product", 1, [](auto a, auto b) { return a * b; }))());
  EXPECT_NO_THROW(use_of<float>(reduction("nan", std::nan(""), plus))());
  EXPECT_NO_THROW(use_of<float>(reduction("bounded", 3, lesser))());
}

}  // namespace
}  // namespace hocket::testing
