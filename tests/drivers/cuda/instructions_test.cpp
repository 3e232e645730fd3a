// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <cmath>

#include "api.hpp"

namespace standin::testing {

namespace {

/// Instructions that NVRTC seldom writes: each test has a few lines of PTX, with inputs in %r1 to
/// %r4 and %p1, whose result is %r0.
class instructions : public ::testing::Test, public session {
 protected:
  instructions() : session(STANDIN_CUDA) {}

  std::uint32_t result(const std::string& lines, std::array<std::uint32_t, 4> inputs = {}) {
    std::string text =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry f(.param .u64 f_out, .param .align 4 .b8 f_in[16])\n{\n"
        ".reg .b64 %rd<8>; .reg .b32 %r<16>; .reg .f32 %f<16>; .reg .f64 %fd<8>;\n"
        ".reg .b16 %h<8>; .reg .pred %p<8>;\n"
        ".shared .align 16 .b8 memory[64];\n"
        "ld.param.u64 %rd0, [f_out];\n";
    for (int k = 0; k < 4; ++k) {
      text +=
          "ld.param.u32 %r" + std::to_string(k + 1) + ", [f_in+" + std::to_string(4 * k) + "];\n";
    }
    text += "setp.ne.u32 %p1, %r1, 0;\n" + lines + "\nst.global.u32 [%rd0], %r0;\nret;\n}\n";
    void* const module = load(text);
    const auto out = upload(std::vector<std::uint32_t>(1));
    run(module, "f", 1, 1, 0, out, inputs);
    check(cu.cuModuleUnload(module));
    return download<std::uint32_t>(out, 1)[0];
  }
  float real(const std::string& lines, std::array<float, 4> inputs = {}) {
    std::string moves;
    for (int k = 1; k < 5; ++k) {
      moves += "mov.b32 %f" + std::to_string(k) + ", %r" + std::to_string(k) + ";\n";
    }
    return std::bit_cast<float>(result(moves + lines + "\nmov.b32 %r0, %f0;",
                                       std::bit_cast<std::array<std::uint32_t, 4>>(inputs)));
  }
};

TEST_F(instructions, permute_bytes) {
  const std::array<std::uint32_t, 4> in{0x33221100, 0x77665544, 1, 0};
  EXPECT_EQ(result("prmt.b32 %r0, %r1, %r2, 0x7531;", in), 0x77553311U);
  EXPECT_EQ(result("prmt.b32 %r0, %r1, %r2, 0x8;", {0x80, 0, 0, 0}), 0x808080FFU);
  EXPECT_EQ(result("prmt.b32.f4e %r0, %r1, %r2, %r3;", in), 0x44332211U);
  EXPECT_EQ(result("prmt.b32.b4e %r0, %r1, %r2, %r3;", in), 0x66770011U);
  EXPECT_EQ(result("prmt.b32.rc8 %r0, %r1, %r2, %r3;", in), 0x11111111U);
  EXPECT_EQ(result("prmt.b32.ecl %r0, %r1, %r2, %r3;", in), 0x33221111U);
  EXPECT_EQ(result("prmt.b32.ecr %r0, %r1, %r2, %r3;", in), 0x11111100U);
  EXPECT_EQ(result("prmt.b32.rc16 %r0, %r1, %r2, %r3;", in), 0x33223322U);
}

TEST_F(instructions, take_fields_of_bits) {
  EXPECT_EQ(result("bfe.u32 %r0, %r1, 4, 8;", {0xABCD1234}), 0x23U);
  EXPECT_EQ(result("bfe.s32 %r0, %r1, 4, 8;", {0x00000F80}), 0xFFFFFFF8U);
  EXPECT_EQ(result("bfe.s32 %r0, %r1, 28, 8;", {0x90000000}), 0xFFFFFFF9U);
  EXPECT_EQ(result("bfe.u32 %r0, %r1, 0, 0;", {~0U}), 0U);
  EXPECT_EQ(result("bfi.b32 %r0, %r1, %r2, 8, 4;", {0xF5, 0}), 0x500U);
  EXPECT_EQ(result("bfind.u32 %r0, %r1;", {0x1000}), 12U);
  EXPECT_EQ(result("bfind.s32 %r0, %r1;", {0xFFFFFF00}), 7U);
  EXPECT_EQ(result("bfind.shiftamt.u32 %r0, %r1;", {0x1000}), 19U);
  EXPECT_EQ(result("bfind.u32 %r0, %r1;", {0}), ~0U);
}

TEST_F(instructions, combine_three_words) {
  const std::array<std::uint32_t, 4> in{0xF0F0F0F0, 0xCCCCCCCC, 0xAAAAAAAA, 0};
  EXPECT_EQ(result("lop3.b32 %r0, %r1, %r2, %r3, 0x96;", in),
            0xF0F0F0F0U ^ 0xCCCCCCCC ^ 0xAAAAAAAA);
  EXPECT_EQ(result("lop3.b32 %r0, %r1, %r2, %r3, 0xEA;", in),
            (0xF0F0F0F0U & 0xCCCCCCCC) | 0xAAAAAAAA);
}

TEST_F(instructions, shift_beyond_the_width) {
  EXPECT_EQ(result("shl.b32 %r0, %r1, 32;", {1}), 0U);
  EXPECT_EQ(result("shr.s32 %r0, %r1, 99;", {0x80000000}), ~0U);
  EXPECT_EQ(result("shr.u32 %r0, %r1, 31;", {0x80000000}), 1U);
  EXPECT_EQ(result("shf.l.clamp.b32 %r0, %r1, %r2, 40;", {0x11, 0x22}), 0x11U);
  EXPECT_EQ(result("shf.r.wrap.b32 %r0, %r1, %r2, 36;", {0x110, 0x2}), 0x20000011U);
}

TEST_F(instructions, divide_as_devices_do) {
  EXPECT_EQ(result("div.u32 %r0, %r1, %r2;", {5, 0}), ~0U);
  EXPECT_EQ(result("div.s32 %r0, %r1, %r2;", {0x80000000, ~0U}), 0x80000000U);
  EXPECT_EQ(result("rem.s32 %r0, %r1, %r2;", {static_cast<std::uint32_t>(-7), 3}), ~0U);
  EXPECT_EQ(result("add.sat.s32 %r0, %r1, %r2;", {0x7FFFFFFF, 5}), 0x7FFFFFFFU);
  EXPECT_EQ(result("sad.s32 %r0, %r1, %r2, %r3;", {3, 10, 100}), 107U);
  EXPECT_EQ(result("mad.hi.u32 %r0, %r1, %r2, %r3;", {0x80000000, 6, 1}), 4U);
  EXPECT_EQ(result("mul24.lo.s32 %r0, %r1, %r2;", {0xFFFFFFFF, 3}), static_cast<std::uint32_t>(-3));
}

TEST_F(instructions, round_as_they_say) {
  const std::array<float, 4> in{1.0F, 3.0F};
  EXPECT_EQ(real("div.rn.f32 %f0, %f1, %f2;", in), 1.0F / 3.0F);
  EXPECT_EQ(real("div.rz.f32 %f0, %f1, %f2;", in), std::nextafter(1.0F / 3.0F, 0.0F));
  EXPECT_EQ(real("div.rp.f32 %f0, %f1, %f2;", in), 1.0F / 3.0F);
  EXPECT_EQ(real("cvt.rzi.f32.f32 %f0, %f1;", {-1.7F}), -1.0F);
  EXPECT_EQ(real("cvt.rpi.f32.f32 %f0, %f1;", {-1.7F}), -1.0F);
  EXPECT_EQ(real("cvt.rni.f32.f32 %f0, %f1;", {2.5F}), 2.0F);
  EXPECT_EQ(real("cvt.rm.f32.s32 %f0, %r1;", {std::bit_cast<float>(0x7FFFFFFF)}), 2147483520.0F);
  EXPECT_EQ(real("cvt.rp.f32.s32 %f0, %r1;", {std::bit_cast<float>(0x7FFFFFFF)}), 2147483648.0F);
  EXPECT_EQ(real("add.sat.f32 %f0, %f1, %f2;", in), 1.0F);
}

TEST_F(instructions, flush_subnormal_numbers_if_asked) {
  const float small = 1e-39F;
  EXPECT_EQ(real("add.f32 %f0, %f1, %f2;", {small, 0}), small);
  EXPECT_EQ(real("add.ftz.f32 %f0, %f1, %f2;", {small, 0}), 0.0F);
  EXPECT_EQ(real("mul.ftz.f32 %f0, %f1, %f2;", {1e-20F, 1e-20F}), 0.0F);
}

TEST_F(instructions, order_what_is_no_number) {
  const std::array<float, 4> in{NAN, 2.0F};
  EXPECT_EQ(real("min.f32 %f0, %f1, %f2;", in), 2.0F);
  EXPECT_TRUE(std::isnan(real("max.NaN.f32 %f0, %f1, %f2;", in)));
  const std::string choose = "selp.f32 %f0, 0f3F800000, 0f00000000, %p2;";
  EXPECT_EQ(real("setp.lt.f32 %p2, %f1, %f2;" + choose, in), 0.0F);
  EXPECT_EQ(real("setp.ltu.f32 %p2, %f1, %f2;" + choose, in), 1.0F);
  EXPECT_EQ(real("setp.nan.f32 %p2, %f1, %f2;" + choose, in), 1.0F);
  EXPECT_EQ(real("testp.notanumber.f32 %p2, %f1;" + choose, in), 1.0F);
}

TEST_F(instructions, join_predicates) {
  const std::string both =
      "setp.lt.and.u32 %p2|%p3, %r1, %r2, %p1;\nselp.u32 %r5, 1, 0, %p2;\nselp.u32 %r6, 2, 0, "
      "%p3;\n"
      "add.u32 %r0, %r5, %r6;";
  EXPECT_EQ(result(both, {1, 2}), 1U);
  EXPECT_EQ(result(both, {3, 2}), 2U);
  EXPECT_EQ(result(both, {0, 2}), 0U) << "%p1 is false";
  EXPECT_EQ(result("setp.hi.or.u32 %p2, %r2, %r3, !%p1;\nselp.u32 %r0, 1, 0, %p2;", {0, 1, 2}), 1U);
}

TEST_F(instructions, convert_small_numbers) {
  const auto to_half = [&](const char* how, float x) {
    return result(
        "mov.b32 %f1, %r1;\ncvt." + std::string(how) + ".f16.f32 %h1, %f1;\ncvt.u32.u16 %r0, %h1;",
        {std::bit_cast<std::uint32_t>(x)});
  };
  EXPECT_EQ(to_half("rn", 1.0F), 0x3C00U);
  EXPECT_EQ(to_half("rn", 65504.0F), 0x7BFFU);
  EXPECT_EQ(to_half("rn", 65520.0F), 0x7C00U);
  EXPECT_EQ(to_half("rz", 1e9F), 0x7BFFU);
  EXPECT_EQ(to_half("rn", 6e-8F), 0x0001U);
  EXPECT_EQ(to_half("rn", -2e-8F), 0x8000U);
  EXPECT_EQ(to_half("rn", 1.0F + 1.0F / 2048), 0x3C00U) << "a tie goes to the even one";
  EXPECT_EQ(to_half("rn", 2047.9F), 0x6800U) << "the fraction overflows into the exponent";
  EXPECT_EQ(real("cvt.rn.bf16.f32 %h1, %f1;\nmov.b32 %f0, {%h2, %h1};\n", {3.1415926F}), 3.140625F);
  EXPECT_EQ(
      real("mov.b32 {%h1, %h2}, %r1;\ncvt.f32.f16 %f0, %h2;", {std::bit_cast<float>(0xC1000000)}),
      -2.5F);
  EXPECT_EQ(result("fma.rn.f16x2 %r0, %r1, %r2, %r3;", {0x3C004000, 0x42004200, 0x00003C00}),
            0x42004700U);
  EXPECT_EQ(result("cvt.rn.f16x2.f32 %r0, 0f3F800000, 0f40000000;"), 0x3C004000U);
  EXPECT_EQ(result("add.rn.bf16x2 %r0, %r1, %r2;", {0x3F804000, 0x3F803F80}), 0x40004040U);
}

TEST_F(instructions, set_what_a_comparison_gives) {
  EXPECT_EQ(result("set.lt.u32.u32 %r0, %r1, %r2;", {1, 2}), ~0U);
  EXPECT_EQ(result("set.lt.f32.s32 %r0, %r1, %r2;", {~0U, 2}), 0x3F800000U);
  EXPECT_EQ(result("set.gt.f16x2.f16x2 %r0, %r1, %r2;", {0x40003C00, 0x3C003C00}), 0x3C000000U);
  EXPECT_EQ(result("set.eq.u32.f16x2 %r0, %r1, %r2;", {0x40003C00, 0x3C003C00}), 0x0000FFFFU);
  EXPECT_EQ(result("setp.gt.f16x2 %p2|%p3, %r1, %r2;\nselp.u32 %r0, 7, 5, %p2;", {0x40003C00, 0}),
            7U);
}

TEST_F(instructions, add_products_of_bytes) {
  EXPECT_EQ(result("dp4a.s32.s32 %r0, %r1, %r2, %r3;", {0x01FF0203, 0x05060708, 100}), 137U);
  EXPECT_EQ(result("dp2a.lo.s32.u32 %r0, %r1, %r2, 1;", {0x0002FFFF, 0x0A0B0C0D}), 12U);
  EXPECT_EQ(result("dp2a.hi.u32.u32 %r0, %r1, %r2, 0;", {0x00020003, 0x0A0B0C0D}), 53U);
}

TEST_F(instructions, carry_from_word_to_word) {
  const std::string sum = "add.cc.u32 %r5, %r1, %r2;\naddc.u32 %r0, %r3, %r4;";
  EXPECT_EQ(result(sum, {0xFFFFFFFF, 1, 2, 3}), 6U);
  EXPECT_EQ(result(sum, {0xFFFFFFFE, 1, 2, 3}), 5U);
  const std::string difference = "sub.cc.u32 %r5, %r1, %r2;\nsubc.u32 %r0, %r3, %r4;";
  EXPECT_EQ(result(difference, {0, 1, 9, 3}), 5U);
  EXPECT_EQ(result(difference, {1, 1, 9, 3}), 6U);
  EXPECT_EQ(result("mad.lo.cc.u32 %r5, %r1, %r2, %r3;\nmadc.hi.u32 %r0, %r1, %r2, %r4;",
                   {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0}),
            0xFFFFFFFFU);
}

TEST_F(instructions, branch_by_tables) {
  const std::string lines =
      "targets: .branchtargets $A, $B, $C;\nbrx.idx %r1, targets;\n"
      "$A: mov.u32 %r0, 10; bra $D;\n$B: mov.u32 %r0, 20; bra $D;\n$C: mov.u32 %r0, 30;\n$D:";
  EXPECT_EQ(result(lines, {0}), 10U);
  EXPECT_EQ(result(lines, {1}), 20U);
  EXPECT_EQ(result(lines, {2}), 30U);
}

TEST_F(instructions, know_where_addresses_are) {
  const std::string lines =
      "mov.u64 %rd1, memory;\nst.shared.v2.u32 [%rd1+8], {%r1, %r2};\ncvta.shared.u64 %rd2, %rd1;\n"
      "isspacep.shared %p2, %rd2;\nld.u32 %r5, [%rd2+12];\nselp.u32 %r0, %r5, 0, %p2;";
  EXPECT_EQ(result(lines, {5, 9}), 9U);
  EXPECT_EQ(result("isspacep.global %p2, %rd0;\nselp.u32 %r0, 1, 0, %p2;"), 1U);
  EXPECT_EQ(
      result("mov.u64 %rd1, memory;\nst.shared.u32 [%rd1], 5;\nred.shared.add.u32 [%rd1], %r1;\n"
             "atom.shared.exch.b32 %r0, [%rd1], 1;",
             {4}),
      9U);
}

TEST_F(instructions, misuse_of_memory_ends_the_kernel) {
  EXPECT_THROW(result("mov.u64 %rd1, memory;\nld.shared.u32 %r0, [%rd1+64];"), std::runtime_error);
}

TEST_F(instructions, misalignment_ends_the_kernel) {
  EXPECT_THROW(result("mov.u64 %rd1, memory;\nld.shared.v2.u32 {%r0, %r5}, [%rd1+4];"),
               std::runtime_error);
}

TEST_F(instructions, traps_end_the_kernel) {
  EXPECT_THROW(result("@%p1 trap;\nmov.u32 %r0, 1;", {1}), std::runtime_error);
  EXPECT_EQ(cu.cuCtxSynchronize(), launch_failed);
}

TEST_F(instructions, shared_memory_is_not_zero_at_first) {
  EXPECT_EQ(result("mov.u64 %rd1, memory;\nld.shared.u32 %r0, [%rd1];"), ~0U);
}

}  // namespace

}  // namespace standin::testing
