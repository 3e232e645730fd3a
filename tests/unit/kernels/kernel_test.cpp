// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/kernels/kernel.hpp>

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/kernels/elementwise.hpp>
#include <hocket/kernels/ops.hpp>
#include <hocket/kernels/program.hpp>
#include <hocket/kernels/reduction.hpp>

#include "support.hpp"

namespace hocket::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using scale_kernel = kernel<float, inout_buffer<float>>;
static_assert(std::is_void_v<scale_kernel::value_type>);
static_assert(scale_kernel::accepts<float, inout_buffer<float>>);
static_assert(scale_kernel::accepts<int, inout_buffer<float>>, "numbers convert");
static_assert(!scale_kernel::accepts<float>, "count");
static_assert(!scale_kernel::accepts<inout_buffer<float>, float>, "order");
static_assert(!scale_kernel::accepts<float, inout_buffer<double>>, "element type");
static_assert(!scale_kernel::accepts<float, in_buffer<float>>, "mode");
static_assert(!scale_kernel::accepts<float, out_buffer<float>>, "mode");
static_assert(!scale_kernel::accepts<float, inout_buffer<float, 2>>, "rank");

using trace_kernel = kernel<returns<double>, in_buffer<float, any_rank>>;
static_assert(std::is_same_v<trace_kernel::value_type, double>);
static_assert(trace_kernel::accepts<in_buffer<float, 1>> &&
              trace_kernel::accepts<in_buffer<float, 4>>);

static_assert(typed_kernel<trace_kernel> && !kernel_family<trace_kernel>);
static_assert(kernel_family<decltype(ops::axpy)> && !typed_kernel<decltype(ops::axpy)>);

TEST(kernel, gives_its_body_the_parameters_in_signature_order) {
  const kernel<float, in_buffer<float, 2>, std::uint32_t, out_buffer<double>> mixed{
      "mixed", host_body{[](float a, buffer_view<const float, 2> x, std::uint32_t i,
                            buffer_view<double> y) { y(i) = static_cast<double>(a * x(1, 0)); }}};
  tensor<float> x({2, 2}, 1);
  tensor<double> y({4});
  x[2] = 3;
  shuffled_lanes lanes(1);
  launch(*mixed.definition(), lanes,
         {scalar_argument::of(2.0f), scalar_argument::of(std::uint32_t{3})},
         {x.argument(), y.argument()});
  EXPECT_EQ(y[3], 6.0);
  const auto& parameters = mixed.definition()->parameters;
  ASSERT_EQ(parameters.size(), 4u);
  EXPECT_EQ(parameters[0].is, parameter::kind::scalar);
  EXPECT_EQ(parameters[1].rank, 2u);
  EXPECT_EQ(parameters[2].type, element_type::u32);
  EXPECT_EQ(parameters[3].mode, access_mode::write);
  EXPECT_EQ(parameters[3].type, element_type::f64);
}

TEST(kernel, returns_a_value_through_the_hidden_buffer) {
  const kernel<returns<std::int64_t>, in_buffer<float>> count{
      "count", host_body{[](lane_group& lanes, buffer_view<const float> x) {
        return static_cast<std::int64_t>(x.size() * lanes.lanes());
      }}};
  tensor<float> x({7});
  threaded_lanes lanes(3);
  EXPECT_EQ(launch_value<std::int64_t>(*count.definition(), lanes, {}, {x.argument()}), 21);
  EXPECT_EQ(count.definition()->result, element_type::i64);
}

TEST(kernel, chained_members_return_a_changed_copy) {
  const kernel<inout_buffer<float>> plain{"plain", host_body{[](buffer_view<float>) {}}};
  const auto rich = plain.with(glsl{"x", "first"})
                        .with(glsl{"x", "second"})
                        .with(cuda_c{"x", "cuda"})
                        .cost([](const launch_shape&) {
                          return launch_work{1, 2};
                        })
                        .wide()
                        .in_place();
  EXPECT_FALSE(plain.definition()->has(kernel_format::glsl));
  EXPECT_FALSE(plain.definition()->in_place);
  EXPECT_TRUE(rich.definition()->in_place);
  EXPECT_TRUE(rich.definition()->has(kernel_format::host));
  EXPECT_TRUE(rich.definition()->has(kernel_format::cuda_c));
  const kernel_source* chosen =
      source_for(*rich.definition(), kernel_format::glsl, device_style::gpu);
  ASSERT_NE(chosen, nullptr);
  EXPECT_EQ(chosen->passes[0].text, "second");
  EXPECT_EQ(rich.definition()->work_of({{4}}).bytes, 2);
  EXPECT_EQ(rich.definition()->width_of({{4}}), body_width::wide);
  EXPECT_EQ(plain.definition()->width_of({{4}}), body_width::serial);
  EXPECT_EQ(plain.definition()->work_of({{4}}).bytes, 32) << "an update reads and writes";
  EXPECT_EQ(plain.definition()->work_of({{4}}).flops, 4);
}

TEST(kernel, refuses_a_body_that_names_other_parameters) {
  const kernel<float, inout_buffer<float>> scale{"scale"};
  EXPECT_THAT(
      [&] {
        (void)scale.with(opencl_c{"a, x, y", ""});
      },
      ThrowsMessage<usage_error>(AllOf(HasSubstr("\"scale\""), HasSubstr("3"), HasSubstr("2"))));
}

TEST(kernel, refuses_a_source_whose_body_is_not_that_of_its_format) {
  const kernel<inout_buffer<float>> scale{"scale"};
  const auto with = [&](kernel_format format, bool native) {
    kernel_source source;
    source.format = format;
    source.names = {"x"};
    if (native) source.native = [](const native_launch&) {};
    (void)scale.with(std::move(source));
  };
  EXPECT_NO_THROW(with(kernel_format::opencl_commands, true));
  EXPECT_NO_THROW(with(kernel_format::glsl, false));
  EXPECT_THROW(with(kernel_format::opencl_commands, false), usage_error);
  EXPECT_THROW(with(kernel_format::glsl, true), usage_error);
  EXPECT_THROW(with(kernel_format::host, false), usage_error);
}

TEST(kernel, refuses_a_text_whose_items_of_other_dimensions_nothing_counts) {
  const kernel<inout_buffer<float, 2>> twice{"twice"};
  const auto with = [&](const char* text) {
    return [&twice, text] { (void)twice.with(opencl_c{"x", text}); };
  };
  EXPECT_THAT(
      with("uint i = ITEM(0), j = ITEM(1); x(i, j) *= 2;"),
      ThrowsMessage<usage_error>(AllOf(HasSubstr("\"twice\" ("), HasSubstr("kernel_test.cpp:"),
                                       HasSubstr("uses ITEM(1)"), HasSubstr(".items"))));
  EXPECT_THAT(with("x(GROUP(2), 0u) = 1;"), ThrowsMessage<usage_error>(HasSubstr("uses GROUP(2)")));
  EXPECT_NO_THROW(with("x(LOCAL_ITEM(1), ITEM(0)) = 1;")());
  EXPECT_NO_THROW(with("for (uint j = ITEM(1); j < x_extent1; j += ITEMS1) x(0u, j) = 1;")());
  const auto items = [](const launch_shape& shape) { return grid{shape[0][0], shape[0][1], 1}; };
  EXPECT_NO_THROW((void)twice.with(
      opencl_c{.names = "x", .text = "x(ITEM(0), ITEM(1)) *= 2;", .items = items}));
  kernel_source source{kernel_format::glsl, {"x"}, {{.text = "x(0u, ITEM(1)) = 1.0f;"}}};
  EXPECT_THROW((void)twice.with(source), usage_error);
  source.passes[0].items = items;
  EXPECT_NO_THROW((void)twice.with(source));
}

TEST(kernel, without_parameters_takes_a_body_that_names_none) {
  EXPECT_TRUE(detail::split_names("").empty());
  const kernel<> nothing{"nothing"};
  EXPECT_EQ(nothing.with(opencl_c{"", ""}).definition()->sources.size(), 1U);
}

TEST(select, has_the_type_of_the_element_beside_a_literal) {
  const float x = 2;
  const double wider = 3;
  const std::int8_t small = 4;
  static_assert(std::is_same_v<decltype(select(true, x, 0)), float>);
  static_assert(std::is_same_v<decltype(select(true, 0, x)), float>);
  static_assert(std::is_same_v<decltype(select(true, x, 0.0)), float>);
  static_assert(std::is_same_v<decltype(select(true, small, 0)), std::int8_t>);
  static_assert(std::is_same_v<decltype(select(true, x, wider)), double>);
  static_assert(std::is_same_v<decltype(select(true, x * 2, x)), float>);
  EXPECT_EQ(select(x > 0, x, 0), 2.0f);
  EXPECT_EQ(select(x < 0, x, 0), 0.0f);
}

TEST(family, makes_one_kernel_for_each_signature) {
  const auto scaled = elementwise("scaled", [](auto a, const auto& x, auto& y) { y = a * x; });
  const auto& first = scaled.resolve<int, in_buffer<float, 2>, out_buffer<float, 2>>();
  const auto& again = scaled.resolve<double, in_buffer<float, 1>, out_buffer<float, 1>>();
  const auto& wider = scaled.resolve<double, in_buffer<double, 1>, out_buffer<double, 1>>();
  EXPECT_EQ(&first, &again) << "numbers take the element type of the buffers";
  EXPECT_NE(first.definition(), wider.definition());
  const auto copy = scaled;
  EXPECT_EQ(&(resolve<int, in_buffer<float, 2>, out_buffer<float, 2>>(copy)), &first);
  EXPECT_EQ(&(resolve<int>(first)), &first) << "a kernel resolves to itself";
}

TEST(family, two_families_of_one_lambda_type_stay_apart) {
  const auto adder = [](const char* name, float amount) {
    return elementwise(name, [amount](auto& x) { x += amount; });
  };
  const auto one = adder("one", 1), two = adder("two", 2);
  EXPECT_EQ(one.resolve<inout_buffer<float>>().definition()->name, "one");
  EXPECT_EQ(two.resolve<inout_buffer<float>>().definition()->name, "two");
}

TEST(family, the_mode_of_the_last_argument_chooses_between_overwriting_and_adding) {
  const auto& overwrite =
      ops::gemm_nn.resolve<in_buffer<float, 2>, in_buffer<float, 2>, out_buffer<float, 2>>();
  const auto& add =
      ops::gemm_nn.resolve<in_buffer<float, 2>, in_buffer<float, 2>, inout_buffer<float, 2>>();
  EXPECT_EQ(overwrite.definition()->name, "gemm_nn");
  EXPECT_EQ(add.definition()->name, "gemm_nn_accumulate");
}

}  // namespace
}  // namespace hocket::testing
