// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/kernels/traced_packed.hpp>

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/core/error.hpp>
#include <hocket/kernels/elementwise.hpp>
#include <hocket/kernels/ops.hpp>
#include <hocket/kernels/program.hpp>
#include <hocket/kernels/reduction.hpp>

#include "support.hpp"

namespace hocket::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr float infinite = std::numeric_limits<float>::infinity();

/// The program of a kernel with buffers of one dimension, in one of the languages.
template <class Kernel>
std::string program_of(const Kernel& kernel, kernel_format format) {
  const kernel_definition& of = *kernel.definition();
  const kernel_source* const source = source_for(of, format, device_style::gpu);
  if (source == nullptr) return "none";
  program_variant variant;
  for (const parameter& each : of.parameters) {
    if (each.is == parameter::kind::buffer) variant.ranks.push_back(1);
  }
  if (format == kernel_format::glsl) {
    return glsl_program(of, *source, 0, variant, argument_block::push_constants);
  }
  return format == kernel_format::cuda_c ? cuda_program(of, *source, 0, variant)
                                         : opencl_program(of, *source, 0, variant);
}

template <class T>
traced<T> narrow_parameter(std::size_t number) {
  return traced<T>(detail::make_parameter(element_type_of<T>, number));
}
std::string rendered_text(const detail::expression& value) {
  const auto made = detail::rendered({value}, {"p", "q"}, kernel_format::opencl_c);
  return made ? made->statements + "-> " + made->results[0] : "none";
}

template <class T>
buffer_argument argument_over(std::vector<T>& values) {
  return {values.data(), element_type_of<T>, {values.size()}, {1}};
}

TEST(float8_elements, are_computed_with_as_floats) {
  const auto x = narrow_parameter<float8_e4m3>(0);
  static_assert(std::is_same_v<decltype(x * 2), traced<float>>);
  static_assert(std::is_same_v<decltype(-x), traced<float>>);
  static_assert(std::is_same_v<decltype(abs(x)), traced<float>>);
  EXPECT_EQ(rendered_text(traced<float8_e5m2>(x * 2).recorded()),
            "u8 v0 = p;\nf32 v1 = AS(f32, F8E4M3_FLOAT(v0));\nf32 v2 = v1 * 2.0f;\n"
            "u8 v3 = FLOAT_F8E5M2(v2);\n-> v3");
  EXPECT_EQ(rendered_text(traced<float8_e5m2>(narrow_parameter<int>(0)).recorded()),
            "i32 v0 = p;\nu8 v1 = FLOAT_F8E5M2(AS(f32, v0));\n-> v1");
  EXPECT_EQ(rendered_text(traced<float8_e4m3>(1.5).recorded()), "-> AS(u8, 60)");
}

TEST(float8_elements, have_their_conversions_in_programs_that_use_them) {
  const auto family = elementwise("narrowed", [](const auto& x, auto& y) { y = x; });
  const auto& narrowed = family.resolve<in_buffer<float>, out_buffer<float8_e4m3>>();
  const auto& plain = family.resolve<in_buffer<float>, out_buffer<bfloat16>>();
  for (const kernel_format format : detail::traced_formats) {
    EXPECT_THAT(program_of(narrowed, format),
                AllOf(HasSubstr("#define FLOAT_F8E4M3(x) hocket_to_f8(x, 20u, 0x3c000000u,"),
                      Not(HasSubstr("F8E5M2"))));
    EXPECT_THAT(program_of(plain, format), Not(HasSubstr("hocket_to_f8")));
  }
  EXPECT_THAT(program_of(narrowed, kernel_format::glsl), HasSubstr("GL_EXT_shader_8bit_storage"));
  const kernel_definition& of = *narrowed.definition();
  EXPECT_TRUE(uses_type(of, of.sources[0], element_type::f8e4m3));
  EXPECT_TRUE(uses_type(of, of.sources[0], element_type::u8));
  EXPECT_FALSE(uses_type(of, of.sources[0], element_type::f8e5m2));
}

TEST(float8_elements, take_the_greatest_number_where_it_is_asked_for) {
  EXPECT_EQ(float{saturate_cast<float8_e4m3>(1e9)}, 448);
  EXPECT_EQ(float{saturate_cast<float8_e4m3>(-infinite)}, -448);
  EXPECT_EQ(float{saturate_cast<float8_e5m2>(60000)}, 57344);
  EXPECT_EQ(float{saturate_cast<float16>(infinite)}, 65504);
  EXPECT_EQ(float{saturate_cast<float8_e4m3>(0.3F)}, float{float8_e4m3(0.3F)});
  EXPECT_TRUE(std::isnan(float{saturate_cast<float8_e4m3>(std::nanf(""))}));
  const auto traced_one = saturate_cast<float8_e4m3>(narrow_parameter<double>(0));
  static_assert(std::is_same_v<decltype(traced_one), const traced<float8_e4m3>>);
  EXPECT_THAT(
      rendered_text(traced_one.recorded()),
      AllOf(HasSubstr("448.0f < v1"), HasSubstr("v1 < (-448.0f)"), HasSubstr("FLOAT_F8E4M3(")));
}

TEST(packed_elements, are_taken_apart_by_a_traced_lambda) {
  const auto p = narrow_parameter<packed_i4>(0);
  static_assert(std::is_same_v<decltype(p.get(0)), traced<std::int32_t>>);
  static_assert(std::is_same_v<decltype(p.get(1) * 0.5F), traced<float>>);
  EXPECT_EQ(rendered_text(narrow_parameter<packed_u2>(0).get(3).recorded()),
            "u8 v0 = p;\nu32 v1 = AS(u32, v0);\nu32 v2 = v1 / 64u;\nu32 v3 = v2 % 4u;\n"
            "i32 v4 = AS(i32, v3);\n-> v4");
  EXPECT_EQ(
      rendered_text(p.get(1).recorded()),
      "u8 v0 = p;\nu32 v1 = AS(u32, v0);\nu32 v2 = v1 / 16u;\nu32 v3 = v2 % 16u;\n"
      "i32 v4 = AS(i32, v3);\ni32 v5 = v4 / 8;\ni32 v6 = AS(i32, AS(u32, v5) * AS(u32, 16));\n"
      "i32 v7 = AS(i32, AS(u32, v4) - AS(u32, v6));\n"
      "-> v7");
  EXPECT_THROW((void)p.get(2), usage_error);
}

TEST(packed_elements, are_put_together_by_a_traced_lambda) {
  auto p = narrow_parameter<packed_i4>(0);
  const auto before = p.recorded();
  EXPECT_EQ(before, p.recorded());
  p.set_saturated(0, narrow_parameter<float>(1));
  p.set_saturated(1, 9);
  EXPECT_NE(before, p.recorded());
  const std::string text = rendered_text(p.recorded());
  EXPECT_THAT(text, Not(HasSubstr("= p;")));  // nothing of the old byte is read
  EXPECT_THAT(text, AllOf(HasSubstr("< 7.0f"), HasSubstr("(-8.0f) < "), HasSubstr(" % 16u")));
  EXPECT_THROW(p.set_saturated(2, 0), usage_error);
  EXPECT_EQ(rendered_text(traced<packed_i4>(packed_i4(1, -1)).recorded()), "-> AS(u8, 241)");
}

TEST(packed_elements, go_through_kernels) {
  const auto quantize = elementwise("quantize", [](const auto& x, auto& q, auto& y) {
    q.set_saturated(1, rint(x * 4));
    q.set_saturated(0, 20);
    y = cast<float>(q.get(1)) * 0.25F + cast<float>(q.get(0));
  });
  const auto& made =
      quantize.resolve<in_buffer<float>, inout_buffer<packed_i4>, out_buffer<float>>();
  for (const kernel_format format : detail::traced_formats) {
    EXPECT_TRUE(made.definition()->has(format));
  }
  tensor<float> x({3}), y({3});
  x.assign({0.5F, 1.3F, -9});
  std::vector<packed_i4> q(3);
  shuffled_lanes lanes(1);
  launch(*made.definition(), lanes, {}, {x.argument(), argument_over(q), y.argument()});
  EXPECT_EQ(q, (std::vector{packed_i4(7, 2), packed_i4(7, 5), packed_i4(7, -8)}));
  EXPECT_EQ(y.values(), (std::vector<float>{7.5F, 8.25F, 5}));

  const auto total = transform_reduction(
      "total", 0, [](auto a, auto b) { return a + b; }, [](auto q) { return q.get(0) + q.get(1); });
  const auto& sum = total.resolve<in_buffer<packed_u4>>();
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(sum)>,
                               kernel<returns<std::int32_t>, in_buffer<packed_u4, any_rank>>>);
  for (const kernel_format format : detail::traced_formats) {
    EXPECT_TRUE(sum.definition()->has(format));
  }
  std::vector<packed_u4> bytes{packed_u4(15, 1), packed_u4(0, 14)};
  EXPECT_EQ(launch_value<std::int32_t>(*sum.definition(), lanes, {}, {argument_over(bytes)}), 30);
  const auto& copied = ops::copy.resolve<in_buffer<packed_i2>, out_buffer<packed_i2>>();
  EXPECT_TRUE(copied.definition()->has(kernel_format::glsl));
}

}  // namespace
}  // namespace hocket::testing
