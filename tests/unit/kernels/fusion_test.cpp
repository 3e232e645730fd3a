// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/kernels/fusion.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/kernels/elementwise.hpp>
#include <hocket/kernels/ops.hpp>
#include <hocket/kernels/program.hpp>

#include "support.hpp"

namespace hocket::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const auto scaled = elementwise("scaled", [](auto a, const auto& x, auto& y) { y = a * x; });
const auto shifted = elementwise(
    "shifted", [](const auto& x, auto& y, element_index auto i) { y = x + cast<float>(i); });
const auto narrowed =
    elementwise("narrowed", [](const auto& x, auto& y) { y = cast<std::int8_t>(x); });

parameter buffer_of(access_mode mode, element_type type = element_type::f32) {
  return {parameter::kind::buffer, type, mode, any_rank};
}
const parameter number{parameter::kind::scalar, element_type::f32, access_mode::read, 0};

kernel_ref scaled_by() {
  return scaled.resolve<float, in_buffer<float>, out_buffer<float>>().definition();
}
kernel_ref shifted_by() {
  return shifted.resolve<in_buffer<float>, out_buffer<float>>().definition();
}

kernel_ref fused_for_all(const std::vector<fused_part>& parts,
                         const std::vector<fused_value>& values) {
  return fused(parts, values, detail::traced_formats);
}

/// t = a x; y = t + i.
kernel_ref scaled_and_shifted(bool local) {
  return fused_for_all({{scaled_by(), {3, 0, 1}}, {shifted_by(), {1, 2}}},
                       {{buffer_of(access_mode::read)},
                        {buffer_of(access_mode::write), local},
                        {buffer_of(access_mode::write)},
                        {number}});
}

std::string text_of(const kernel_ref& kernel, kernel_format format = kernel_format::opencl_c) {
  return source_for(*kernel, format, device_style::gpu)->passes[0].text;
}

TEST(fusion, keeps_a_value_between_parts_in_a_variable) {
  EXPECT_THAT(text_of(scaled_and_shifted(false)),
              HasSubstr("f32 v0 = p3;\nf32 v1 = p0(i);\nf32 v2 = v0 * v1;\nf32 v3 = AS(f32, i);\n"
                        "f32 v4 = v2 + v3;\np1(i) = v2;\np2(i) = v4;\n"));
  const kernel_ref local = scaled_and_shifted(true);
  EXPECT_THAT(text_of(local), HasSubstr("f32 v4 = v2 + v3;\np1(i) = v4;\n"));
  EXPECT_EQ(local->parameters.size(), 3U) << "x, y and a: t is nobody's parameter";
  EXPECT_EQ(local->name, "scaled+shifted");
  EXPECT_THAT(text_of(local, kernel_format::glsl), HasSubstr("precise f32 v4 = v2 + v3;"));
}

TEST(fusion, makes_texts_only_in_the_formats_that_are_wanted) {
  const auto made = [](const std::vector<kernel_format>& wanted) {
    return fused({{shifted_by(), {0, 1}}},
                 {{buffer_of(access_mode::read)}, {buffer_of(access_mode::write)}}, wanted);
  };
  const auto has = [](const kernel_ref& kernel, kernel_format format) {
    return source_for(*kernel, format, device_style::gpu) != nullptr;
  };
  const kernel_ref none = made({});
  EXPECT_TRUE(none->sources.empty());
  EXPECT_NE(none->host, nullptr);
  const kernel_ref one = made({kernel_format::glsl});
  EXPECT_TRUE(has(one, kernel_format::glsl));
  EXPECT_FALSE(has(one, kernel_format::opencl_c));
}

TEST(fusion, stores_a_value_that_is_written_twice_once) {
  const auto& fill = ops::fill.resolve<float, out_buffer<float>>();
  const kernel_ref both = fused_for_all(
      {{scaled_by(), {2, 0, 1}}, {fill.definition(), {3, 1}}},
      {{buffer_of(access_mode::read)}, {buffer_of(access_mode::write)}, {number}, {number}});
  EXPECT_THAT(text_of(both), HasSubstr("f32 v0 = p3;\np1(i) = v0;\n"));
  EXPECT_THAT(text_of(both), Not(HasSubstr("p2;")));
}

TEST(fusion, narrows_a_value_between_parts_as_memory_does) {
  const auto& narrow = narrowed.resolve<in_buffer<float>, out_buffer<std::int8_t>>();
  const auto& widen = ops::copy.resolve<in_buffer<std::int8_t>, out_buffer<std::int8_t>>();
  const kernel_ref both =
      fused_for_all({{narrow.definition(), {0, 1}}, {widen.definition(), {1, 2}}},
                    {{buffer_of(access_mode::read)},
                     {buffer_of(access_mode::write, element_type::i8), true},
                     {buffer_of(access_mode::write, element_type::i8)}});
  EXPECT_THAT(text_of(both), HasSubstr("i8 v1 = AS(i8, v0);\np1(i) = v1;\n"));
}

TEST(fusion, counts_the_operations_of_all_parts) {
  const launch_work of_both = scaled_and_shifted(true)->work_of({{100}, {100}});
  EXPECT_EQ(of_both.flops, 200);
  EXPECT_EQ(of_both.bytes, 800);
}

TEST(fusion, takes_traced_kernels_without_other_bodies) {
  const auto untraced = elementwise_on_host("untraced", [](const auto& x, auto& y) { y = x; });
  const auto& plain = scaled.resolve<float, in_buffer<float>, out_buffer<float>>();
  EXPECT_TRUE(can_be_fused(*plain.definition()));
  EXPECT_TRUE(
      can_be_fused(*plain.cost([](const launch_shape&) { return launch_work{}; }).definition()));
  EXPECT_FALSE(can_be_fused(*plain.with(glsl{"a, x, y", ""}).definition()));
  EXPECT_FALSE(can_be_fused(*untraced.resolve<in_buffer<float>, out_buffer<float>>().definition()));
  EXPECT_FALSE(can_be_fused(*ops::sum.resolve<in_buffer<float>>().definition()));
  EXPECT_FALSE(can_be_fused(*scaled_and_shifted(true)));
}

class fusion_on_host : public random_test {};

TEST_F(fusion_on_host, gives_the_bits_of_the_parts) {
  const std::vector<index_list> shapes = {{},       {0},        {1},       {2047},      {2049},
                                          {100003}, {301, 257}, {5000, 3}, {2, 3, 4, 5}};
  threaded_lanes threads(2);
  const scalar_argument a = scalar_argument::of(1.7f);
  for (const index_list& extents : shapes) {
    for (const std::size_t padding : {0u, 3u}) {
      SCOPED_TRACE(to_string(extents) + " padded by " + std::to_string(padding));
      tensor<float> x(extents, padding), t(extents), y(extents, 3 - padding);
      tensor<float> t2(extents, padding), y2(extents), y3(extents, padding);
      x.fill(random_);
      launch(*scaled_by(), lanes_, {a}, {x.argument(), t.argument()});
      launch(*shifted_by(), lanes_, {}, {t.argument(), y.argument()});
      launch(*scaled_and_shifted(false), lanes_, {a}, {x.argument(), t2.argument(), y2.argument()});
      launch(*scaled_and_shifted(true), threads, {a}, {x.argument(), y3.argument()});
      EXPECT_TRUE(same_bits(t.values(), t2.values()));
      EXPECT_TRUE(same_bits(y.values(), y2.values()));
      EXPECT_TRUE(same_bits(y.values(), y3.values()));
      EXPECT_TRUE(t2.intact() && y2.intact() && y3.intact());
    }
  }
}

}  // namespace
}  // namespace hocket::testing
