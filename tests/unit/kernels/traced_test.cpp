// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/kernels/traced.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/kernels/elementwise.hpp>
#include <hocket/kernels/ops.hpp>
#include <hocket/kernels/program.hpp>
#include <hocket/kernels/reduction.hpp>

#include "support.hpp"

namespace hocket::testing {
namespace {

using detail::expression;
using ::testing::HasSubstr;
using ::testing::Not;

static_assert(!std::is_convertible_v<traced<bool>, bool>, "choices are made by select");
static_assert(std::is_same_v<decltype(traced<float>(1) + 1.5), traced<float>>);
static_assert(std::is_same_v<decltype(2 * traced<std::int8_t>(1)), traced<int>>);
static_assert(std::is_same_v<decltype(traced<int>(1) * 0.5f), traced<float>>);
static_assert(std::is_same_v<decltype(traced<float>(1) + traced<double>(1)), traced<double>>);
static_assert(std::is_same_v<decltype(min(traced<double>(1), 0)), traced<double>>);
static_assert(std::is_same_v<decltype(cast<std::int64_t>(traced_index())), traced<std::int64_t>>);
static_assert(std::is_same_v<decltype(max(2.0f, 0)), float>);

template <class T>
traced<T> parameter_of(std::size_t number) {
  return traced<T>(detail::make_parameter(element_type_of<T>, number));
}

std::string text_of(const expression& value, kernel_format format = kernel_format::opencl_c) {
  const auto made = detail::rendered({value}, {"p", "q"}, format);
  return made ? made->statements + "-> " + made->results[0] : "none";
}

TEST(traced, names_each_step_and_computes_nothing_twice) {
  const auto p = parameter_of<float>(0), q = parameter_of<float>(1);
  const auto square = p * p;
  EXPECT_EQ(text_of((square + square * q + p * p).recorded()),
            "f32 v0 = p;\nf32 v1 = v0 * v0;\nf32 v2 = q;\nf32 v3 = v1 * v2;\nf32 v4 = v1 + v3;\n"
            "f32 v5 = v4 + v1;\n-> v5");
}

TEST(traced, keeps_products_and_sums_apart_in_glsl) {
  const auto p = parameter_of<float>(0);
  EXPECT_EQ(text_of((p * 2 + 1).recorded(), kernel_format::glsl),
            "precise f32 v0 = p;\nprecise f32 v1 = v0 * 2.0f;\nprecise f32 v2 = v1 + 1.0f;\n-> v2");
}

TEST(traced, assignment_changes_what_a_variable_stands_for) {
  auto p = parameter_of<int>(0);
  const auto before = p;
  p += 1;
  p *= before;
  EXPECT_EQ(text_of(p.recorded()),
            "i32 v0 = p;\ni32 v1 = AS(i32, AS(u32, v0) + AS(u32, 1));\n"
            "i32 v2 = AS(i32, AS(u32, v1) * AS(u32, v0));\n-> v2");
}

TEST(traced, chooses_by_select) {
  const auto p = parameter_of<float>(0);
  EXPECT_EQ(text_of(select(p > 0 && !(p == 2), p, 0).recorded()),
            "f32 v0 = p;\nbool v1 = 0.0f < v0;\nbool v2 = v0 == 2.0f;\nbool v3 = !v2;\n"
            "bool v4 = v1 && v3;\nf32 v5 = v4 ? v0 : 0.0f;\n-> v5");
  EXPECT_EQ(text_of(select(true, p, 0).recorded()), "f32 v0 = p;\n-> v0");
}

TEST(traced, converts_where_types_differ) {
  const auto p = parameter_of<std::int8_t>(0);
  EXPECT_EQ(text_of(cast<float>(p + 1).recorded()),
            "i8 v0 = p;\ni32 v1 = AS(i32, v0);\ni32 v2 = AS(i32, AS(u32, v1) + AS(u32, 1));\n"
            "f32 v3 = AS(f32, v2);\n-> v3");
}

TEST(traced, signed_integers_wrap_around_where_the_language_leaves_overflow_undefined) {
  const auto p = parameter_of<int>(0);
  const auto q = parameter_of<std::int64_t>(0);
  for (const kernel_format format : {kernel_format::opencl_c, kernel_format::cuda_c}) {
    EXPECT_THAT(text_of((p - 3).recorded(), format),
                HasSubstr("AS(i32, AS(u32, v0) - AS(u32, 3))"));
    EXPECT_THAT(text_of((-p).recorded(), format), HasSubstr("= AS(i32, -AS(u32, v0));"));
    EXPECT_THAT(text_of(abs(q).recorded(), format), HasSubstr("= AS(i64, -AS(u64, v0));"));
    EXPECT_THAT(text_of((q << 3).recorded(), format), HasSubstr("= AS(i64, AS(u64, v0) << 3l);"));
  }
  EXPECT_THAT(text_of((p * p).recorded(), kernel_format::glsl), HasSubstr("i32 v1 = v0 * v0;"));
  const auto u = parameter_of<unsigned>(0);
  EXPECT_THAT(text_of((u * u).recorded()), HasSubstr("u32 v1 = v0 * v0;"));
}

TEST(traced, remainders_have_the_sign_of_cpp) {
  EXPECT_THAT(text_of((parameter_of<int>(0) % 3).recorded()), HasSubstr("v0 - v0 / 3 * 3"));
  EXPECT_THAT(text_of((parameter_of<unsigned>(0) % 3).recorded()), HasSubstr("v0 % 3u"));
}

TEST(traced, integers_have_the_bit_operations_of_cpp) {
  const auto p = parameter_of<std::uint8_t>(0);
  EXPECT_EQ(text_of(((p >> 3) ^ 5).recorded()),
            "u8 v0 = p;\ni32 v1 = AS(i32, v0);\ni32 v2 = v1 >> 3;\ni32 v3 = v2 ^ 5;\n-> v3");
  const auto q = parameter_of<std::uint64_t>(0);
  EXPECT_THAT(text_of((~q << 7).recorded()), HasSubstr("u64 v1 = ~v0;\nu64 v2 = v1 << 7ul;"));
  EXPECT_THAT(text_of(((q & 1U) | q).recorded()), HasSubstr("v0 & 1ul"));
  auto changed = q;
  changed ^= changed >> 12;
  EXPECT_THAT(text_of(changed.recorded()), HasSubstr("v1 = v0 >> 12ul;\nu64 v2 = v0 ^ v1;"));
}

TEST(traced, literals_are_exact_in_each_language) {
  const auto in = [](auto value, kernel_format format) {
    return detail::literal_text(scalar_argument::of(value), format);
  };
  constexpr auto opencl = kernel_format::opencl_c, gl = kernel_format::glsl;
  EXPECT_EQ(in(0.1f, opencl), "0.1f");
  EXPECT_EQ(in(-3.0f, gl), "(-3.0f)");
  EXPECT_EQ(in(0.1, opencl), "0.1");
  EXPECT_EQ(in(0.1, gl), "0.1lf");
  EXPECT_EQ(in(1e300, gl), "1e+300lf");
  EXPECT_EQ(in(-std::numeric_limits<float>::infinity(), gl), "BITS_FLOAT(4286578688u)");
  EXPECT_EQ(in(std::numeric_limits<double>::infinity(), gl),
            "packDouble2x32(uvec2(0u, 2146435072u))");
  EXPECT_EQ(in(std::numeric_limits<double>::infinity(), kernel_format::cuda_c),
            "BITS_DOUBLE(0u, 2146435072u)");
  EXPECT_EQ(in(std::numeric_limits<std::int32_t>::min(), gl), "(-2147483647 - 1)");
  EXPECT_EQ(in(std::uint32_t{7}, opencl), "7u");
  EXPECT_EQ(in(std::int64_t{-7}, opencl), "(-7l)");
  EXPECT_EQ(in(std::int8_t{-128}, gl), "AS(i8, (-128))");
}

TEST(traced, a_function_that_glsl_does_not_have_leaves_its_body_out) {
  const auto p = parameter_of<double>(0);
  EXPECT_EQ(text_of(tanh(p).recorded(), kernel_format::glsl), "none");
  EXPECT_THAT(text_of(tanh(p).recorded()), HasSubstr("tanh(v0)"));
  EXPECT_THAT(text_of(exp(p).recorded(), kernel_format::glsl), HasSubstr("hocket_exp(v0)"));
  const auto family = elementwise("tanh", [](const auto& x, auto& y) { y = tanh(x); });
  const auto& made = family.resolve<in_buffer<double>, out_buffer<double>>();
  EXPECT_TRUE(made.definition()->has(kernel_format::opencl_c));
  EXPECT_FALSE(made.definition()->has(kernel_format::glsl));
}

TEST(traced, an_elementwise_lambda_writes_what_it_assigned_after_all_reads) {
  const auto swap = elementwise("swap", [](auto& x, auto& y, auto& untouched) {
    const auto before = x;
    x = y;
    y = before;
    static_cast<void>(untouched);
  });
  const auto& made = swap.resolve<inout_buffer<float>, inout_buffer<float>, inout_buffer<float>>();
  const kernel_source* source =
      source_for(*made.definition(), kernel_format::glsl, device_style::gpu);
  ASSERT_NE(source, nullptr);
  EXPECT_THAT(source->passes[0].text,
              HasSubstr("f32 v0 = p1(i);\nprecise f32 v1 = p0(i);\np0(i) = v0;\np1(i) = v1;\n"));
  EXPECT_THAT(source->passes[0].text, Not(HasSubstr("p2(i)")));
}

TEST(traced, lanes_take_four_elements_at_once_where_all_are_words) {
  const auto text = [](const auto& made) {
    return source_for(*made.definition(), kernel_format::glsl, device_style::cpu_lanes)
        ->passes[0]
        .text;
  };
  const auto mixed = elementwise("mixed", [](const auto& x, auto& y, auto& z) {
    y = cast<std::int32_t>(x);
    z += x;
  });
  const std::string words =
      text(mixed.resolve<in_buffer<float>, out_buffer<std::int32_t>, inout_buffer<float>>());
  EXPECT_THAT(words, HasSubstr("#if 1 && p0_rank == 1 && p1_rank == 1 && p2_rank == 1\n"));
  EXPECT_THAT(words, HasSubstr("vec4 p0_four = p0_fours[p0_first + at];\nivec4 p1_four;\n"
                               "vec4 p2_four = p2_fours[p2_first + at];\n"));
  EXPECT_THAT(words, HasSubstr("p1_fours[p1_first + at] = p1_four;\n"
                               "p2_fours[p2_first + at] = p2_four;\n"));
  EXPECT_THAT(words, Not(HasSubstr("p0_fours[p0_first + at] =")));
  EXPECT_THAT(
      text(mixed.resolve<in_buffer<double>, out_buffer<std::int32_t>, inout_buffer<double>>()),
      Not(HasSubstr("_fours")));
  const auto longer = elementwise("longer", [](const auto& x, auto& y) {
    auto sum = x * 2;
    for (int i = 0; i < 40; ++i) sum = sum * x + x;
    y = sum;
  });
  EXPECT_THAT(text(longer.resolve<in_buffer<float>, out_buffer<float>>()),
              Not(HasSubstr("_fours")));
}

TEST(traced, an_index_is_given_where_it_is_asked_for) {
  const auto ramp = elementwise(
      "ramp", [](auto step, auto& y, element_index auto i) { y = step * cast<float>(i); });
  const auto& made = ramp.resolve<float, out_buffer<float, 2>>();
  tensor<float> y({3, 4}, 2);
  shuffled_lanes lanes(1);
  launch(*made.definition(), lanes, {scalar_argument::of(2.0f)}, {y.argument()});
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(y[i], 2.0f * static_cast<float>(i));
  const kernel_source* source =
      source_for(*made.definition(), kernel_format::opencl_c, device_style::gpu);
  ASSERT_NE(source, nullptr);
  EXPECT_THAT(source->passes[0].text, HasSubstr("AS(f32, i)"));
}

TEST(traced, what_calls_other_functions_runs_on_the_host) {
  const auto cube = elementwise_on_host("cube", [](float x, float& y) { y = std::pow(x, 3.0f); });
  const auto& made = cube.resolve<in_buffer<float>, out_buffer<float>>();
  EXPECT_TRUE(made.definition()->sources.empty());
  const auto first = reduction_on_host("first", 0, [](float a, float) { return a; });
  EXPECT_TRUE(first.resolve<in_buffer<float>>().definition()->sources.empty());
}

TEST(traced, every_built_in_kernel_has_a_body_for_every_style) {
  const kernel_ref kernels[] = {
      ops::gemm_tn.resolve<in_buffer<double, 2>, in_buffer<double, 2>, inout_buffer<double, 2>>()
          .definition(),
      ops::bias_relu_forward.resolve<in_buffer<float, 2>, in_buffer<float>, out_buffer<float, 2>>()
          .definition(),
      ops::bias_backward.resolve<in_buffer<float, 2>, out_buffer<float>>().definition(),
      ops::count_correct.resolve<in_buffer<float, 2>, in_buffer<std::int32_t>>().definition(),
      ops::max.resolve<in_buffer<std::int64_t>>().definition(),
      ops::copy.resolve<in_buffer<std::int8_t>, out_buffer<std::int8_t>>().definition()};
  for (const kernel_ref& each : kernels) {
    SCOPED_TRACE(each->name);
    EXPECT_NE(source_for(*each, kernel_format::opencl_c, device_style::gpu), nullptr);
    EXPECT_NE(source_for(*each, kernel_format::opencl_c, device_style::cpu_compiler), nullptr);
    EXPECT_NE(source_for(*each, kernel_format::glsl, device_style::gpu), nullptr);
    EXPECT_NE(source_for(*each, kernel_format::cuda_c, device_style::gpu), nullptr);
    EXPECT_NE(source_for(*each, kernel_format::glsl, device_style::cpu_lanes), nullptr);
    EXPECT_NE(source_for(*each, kernel_format::glsl, device_style::cpu_switching), nullptr);
  }
}

}  // namespace
}  // namespace hocket::testing
