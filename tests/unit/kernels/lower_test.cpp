// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/core/error.hpp>
#include <hocket/kernels/kernel.hpp>
#include <hocket/kernels/program.hpp>

namespace hocket::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A region of an array.
struct part {
  index_list whole;
  box region;
};

part whole_of(const index_list& extents) { return {extents, box::whole(extents)}; }

lowered_launch lowered(const kernel_ref& kernel, const std::vector<part>& parts,
                       const std::vector<scalar_argument>& scalars = {}) {
  std::vector<device_argument> arguments;
  for (const part& p : parts) arguments.push_back({element_type::f32, &p.whole, &p.region});
  return lower(*kernel, kernel->sources.at(0), arguments, scalars).value();
}

const kernel<in_buffer<float, any_rank>> any{"any"};
const kernel_ref any_kernel = any.with(glsl{"x", "x(0);"}).definition();

/// The words of a buffer of any rank, without those of the grid.
std::vector<std::uint32_t> words_of(const part& p) {
  const lowered_launch made = lowered(any_kernel, {p});
  EXPECT_EQ(made.passes.at(0).words.size(),
            argument_words(*any_kernel, any_kernel->sources[0], made.variant));
  return {made.passes[0].words.begin() + 3, made.passes[0].words.end()};
}

TEST(lower, merges_dimensions_that_lie_one_after_another) {
  EXPECT_THAT(words_of(whole_of({7})), ElementsAre(0, 7));
  EXPECT_THAT(words_of(whole_of({2, 3, 4})), ElementsAre(0, 24));
  EXPECT_THAT(words_of({{10, 8}, {{2, 0}, {5, 8}}}), ElementsAre(16, 24)) << "rows";
  EXPECT_THAT(words_of({{10, 8}, {{2, 3}, {5, 7}}}), ElementsAre(19, 3, 4, 8)) << "a tile";
  EXPECT_THAT(words_of({{10, 8}, {{2, 3}, {3, 7}}}), ElementsAre(19, 4)) << "part of a row";
  EXPECT_THAT(words_of({{10, 8}, {{0, 3}, {10, 4}}}), ElementsAre(3, 10, 1, 8)) << "a column";
  EXPECT_THAT(words_of({{5, 6, 7}, {{1, 2, 0}, {3, 4, 7}}}), ElementsAre(56, 2, 14, 42));
  EXPECT_THAT(words_of({{5, 6, 7}, {{0, 1, 2}, {5, 2, 4}}}), ElementsAre(9, 5, 2, 42));
  EXPECT_THAT(words_of({{5, 6, 7}, {{1, 1, 1}, {3, 4, 5}}}), ElementsAre(50, 2, 3, 4, 42, 7));
}

TEST(lower, knows_extents_of_one_and_of_zero) {
  EXPECT_THAT(words_of(whole_of({})), ElementsAre(0, 1));
  EXPECT_THAT(words_of(whole_of({1, 1, 1})), ElementsAre(0, 1));
  EXPECT_THAT(words_of({{4, 4}, {{3, 3}, {4, 4}}}), ElementsAre(15, 1));
  EXPECT_THAT(words_of(whole_of({0})), ElementsAre(0, 0));
  const lowered_launch empty = lowered(any_kernel, {{{4, 4}, {{1, 2}, {4, 2}}}});
  EXPECT_EQ(empty.passes.at(0).groups[0], 0u) << "nothing to do";
}

TEST(lower, keeps_the_rank_that_a_signature_asks_for) {
  const kernel_ref fixed = kernel<float, inout_buffer<float, 2>, std::int64_t>{"fixed"}
                               .with(opencl_c{"a, x, n",
                                              "",
                                              {8, 8, 1},
                                              [](const launch_shape& shape) {
                                                return grid{shape[0][1], shape[0][0], 1};
                                              }})
                               .definition();
  const lowered_launch made =
      lowered(fixed, {{{10, 8}, {{2, 0}, {5, 8}}}},
              {scalar_argument::of(1.0f), scalar_argument::of(std::int64_t{-2})});
  EXPECT_THAT(made.variant.ranks, ElementsAre(2));
  EXPECT_THAT(made.passes.at(0).groups, ElementsAre(1, 1, 1));
  EXPECT_THAT(made.passes[0].words,
              ElementsAre(8, 3, 1, 16, 3, 8, 8, 0x3f800000u, 0xfffffffeu, 0xffffffffu));
  EXPECT_EQ(made.passes[0].words.size(), argument_words(*fixed, fixed->sources[0], made.variant));
}

TEST(lower, extends_small_numbers_by_their_sign) {
  const kernel_ref small =
      kernel<std::int8_t, std::uint8_t, std::int16_t, out_buffer<float>>{"small"}
          .with(glsl{"a, b, c, x", ""})
          .definition();
  const lowered_launch made =
      lowered(small, {whole_of({4})},
              {scalar_argument::of(std::int8_t{-1}), scalar_argument::of(std::uint8_t{255}),
               scalar_argument::of(std::int16_t{-2})});
  EXPECT_THAT(made.passes.at(0).words, ElementsAre(4, 1, 1, 0, 4, 0xffffffffu, 255, 0xfffffffeu));
}

TEST(lower, refuses_arrays_whose_places_do_not_fit) {
  const index_list extents{std::size_t{1} << 32};
  const box all = box::whole(extents);
  const device_argument argument{element_type::f32, &extents, &all};
  const auto made = lower(*any_kernel, any_kernel->sources[0], {&argument, 1}, {});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message(), HasSubstr("\"any\" has an argument of more than 4000000000"));
}

TEST(lower, says_where_regions_begin_in_parts_of_their_arrays) {
  const kernel_ref two = kernel<in_buffer<float, any_rank>, out_buffer<float, 2>>{"two"}
                             .with(glsl{"x, y", ""})
                             .definition();
  const part tile{{10, 8}, {{2, 3}, {5, 7}}};
  lowered_launch made = lowered(two, {tile, tile});
  const std::vector<std::uint32_t> before = made.passes.at(0).words;
  set_first_elements(made, std::vector<std::uint32_t>{1, 2});
  EXPECT_THAT(before, ElementsAre(12, 1, 1, 19, 3, 4, 8, 19, 3, 4, 8));
  EXPECT_THAT(made.passes[0].words, ElementsAre(12, 1, 1, 1, 3, 4, 8, 2, 3, 4, 8));
}

TEST(lower, repeats_a_pass_for_as_many_rounds_as_it_asks_for) {
  const auto halvings = [](const launch_shape& shape) {
    std::size_t rounds = 0;
    for (std::size_t left = volume(shape[0]); left > 1; left = (left + 1) / 2) ++rounds;
    return rounds;
  };
  const kernel_ref repeated =
      kernel<inout_buffer<float>, float>{"repeated"}
          .with(
              {{.names = {"x", "a"},
                .passes = {{.text = "x(0) = a;"}, {.text = "x(ROUND) = a;", .rounds = halvings}}}})
          .definition();
  const kernel_source& source = repeated->sources[0];
  const std::vector<scalar_argument> one{scalar_argument::of(1.0F)};
  const lowered_launch made = lowered(repeated, {whole_of({5})}, one);
  ASSERT_EQ(made.passes.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(made.passes[i].pass, i == 0 ? 0U : 1U);
    EXPECT_THAT(made.passes[i].words, ElementsAre(5, 1, 1, 0, 5, 0x3f800000U, i == 0 ? 0 : i - 1));
    EXPECT_EQ(made.passes[i].words.size(), argument_words(*repeated, source, made.variant));
  }
  EXPECT_EQ(lowered(repeated, {whole_of({1})}, one).passes.size(), 1U) << "no round";
  EXPECT_THAT(opencl_program(*repeated, source, 1, made.variant),
              HasSubstr("#define ROUND hocket_block.words[6]"));
  EXPECT_THAT(opencl_program(*any_kernel, any_kernel->sources[0], 0, {{1}}),
              ::testing::Not(HasSubstr("ROUND")));
}

TEST(program, gives_bodies_their_macros_in_each_language) {
  const kernel_ref scale = kernel<double, inout_buffer<float, 2>>{"scale"}
                               .with(opencl_c{"a, x", "x(0, 0) *= AS(f32, a);"})
                               .with(glsl{"a, x", "x(0, 0) *= AS(f32, a);"})
                               .definition();
  const program_variant variant{{2}};
  const std::string opencl = opencl_program(*scale, scale->sources[1], 0, variant);
  EXPECT_THAT(opencl, HasSubstr("#define x(i0, i1) x_[hocket_block.words[3] + (i0) * "
                                "hocket_block.words[6] + (i1)]"));
  EXPECT_THAT(opencl, HasSubstr("#define a as_double((uint2)(hocket_block.words[7], "
                                "hocket_block.words[8]))"));
  EXPECT_THAT(opencl, HasSubstr("__global f32* x_"));
  const std::string cuda = cuda_program(*scale, scale->sources[1], 0, variant);
  EXPECT_THAT(cuda, HasSubstr("#define x_extent1 hocket_block.words[5]"));
  EXPECT_THAT(cuda, HasSubstr("#define a BITS_DOUBLE(hocket_block.words[7], "
                              "hocket_block.words[8])"));
  EXPECT_THAT(cuda, HasSubstr("hocket_main(f32* x_, "));
  const std::string gl =
      glsl_program(*scale, scale->sources[0], 0, variant, argument_block::storage_buffer);
  EXPECT_THAT(gl, HasSubstr("#define x_extent1 hocket_word5"));
  EXPECT_THAT(gl, HasSubstr("#define x_stride0 hocket_word6"));
  EXPECT_THAT(gl, HasSubstr("binding = 1, std430) readonly buffer"));
  EXPECT_THAT(gl, HasSubstr("uint hocket_words[9];"));
  EXPECT_THAT(gl, HasSubstr("void main() {\nconst uint hocket_word0 = hocket_words[0];\n"));
  EXPECT_THAT(gl, HasSubstr("const uint hocket_word8 = hocket_words[8];\n\n#line 1 \"scale ("));
  EXPECT_THAT(gl, HasSubstr("lower_test.cpp:146)\"\nx(0, 0) *="));
}

TEST(program, names_the_place_of_a_text_that_leaves_something_open) {
  const auto program_of = [](const std::string& text) {
    const kernel_ref open =
        kernel<inout_buffer<float>>{"open"}.with(cuda_c{"x", text}).definition();
    return cuda_program(*open, open->sources[0], 0, {{1}});
  };
  // The brace of the function is what a compiler cannot match.
  EXPECT_THAT(program_of("if (ITEM(0) == 0u) {"),
              ::testing::ContainsRegex("hocket_block\\)\n#line 1 \"open \\(.*\"\n\\{\n"));
  EXPECT_THAT(program_of("x(0) = 1.0f; // comment \\"),
              ::testing::EndsWith("// comment \\\n\n}\n"));
}

TEST(program, finds_linear_indices_in_merged_dimensions) {
  const std::string gl =
      glsl_program(*any_kernel, any_kernel->sources[0], 0, {{2}}, argument_block::push_constants);
  EXPECT_THAT(gl, HasSubstr("#define x(i) x_[hocket_word3 + ((i) / hocket_word5) * "
                            "hocket_word6 + ((i) % hocket_word5)]"));
  EXPECT_THAT(gl, HasSubstr("layout(push_constant, std430)"));
}

TEST(program, knows_which_types_a_device_must_know) {
  const kernel_ref counted = kernel<returns<std::int64_t>, in_buffer<float>>{"counted"}
                                 .with(glsl{"x, n", "n(0) = AS(i64, 1);"})
                                 .definition();
  kernel_source source = counted->sources[0];
  EXPECT_THAT(types_used(*counted, source), ElementsAre(element_type::f32, element_type::i64));
  EXPECT_TRUE(uses_type(*counted, source, element_type::i64));
  EXPECT_FALSE(uses_type(*counted, source, element_type::u8));
  source.result_in_words = true;
  source.types = {element_type::u8};
  EXPECT_THAT(types_used(*counted, source), ElementsAre(element_type::f32, element_type::u8));
  EXPECT_TRUE(uses_type(*counted, source, element_type::u8));
  EXPECT_FALSE(uses_type(*counted, source, element_type::i64));
  EXPECT_THAT(glsl_program(*counted, source, 0, {{1, 1}}, argument_block::push_constants),
              HasSubstr("buffer hocket_binding1 { u32 n_[]; }"));
}

TEST(program, asks_for_what_the_types_of_a_text_need) {
  kernel_source source{kernel_format::glsl, {"x"}, {{"x(0);"}}};
  source.types = {element_type::i64};
  const kernel_ref wide = any.with(source).definition();
  EXPECT_THAT(glsl_program(*wide, wide->sources[0], 0, {{1}}, argument_block::push_constants),
              HasSubstr("explicit_arithmetic_types_int64 : require"));
}

}  // namespace
}  // namespace hocket::testing
