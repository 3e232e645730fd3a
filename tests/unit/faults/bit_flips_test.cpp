// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <bit>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/kernels/ops.hpp>
#include <hocket/streams/perform.hpp>

#include "bit_flips.hpp"

namespace hocket::faults {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

copy_command into(void* bytes, const index_list& extents, const box& region) {
  copy_command made;
  made.to = {bytes, volume(extents)};
  made.extents = extents;
  made.element_size = 1;
  made.region = region;
  return made;
}

TEST(BitFlips, ChangeSomeBitsOfEvery64Bytes) {
  std::vector<std::uint8_t> bytes(200, 0);
  flip_bits(into(bytes.data(), {200}, box::whole({200})));
  for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(bytes[i] != 0, i % 64 < 4) << i;
  int bits = 0;
  for (int i = 0; i < 4; ++i) bits += std::popcount(bytes[static_cast<std::size_t>(i)]);
  EXPECT_GT(bits, 4);
}

TEST(BitFlips, TwiceAreNone) {
  std::vector<std::uint8_t> bytes(100);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  const auto before = bytes;
  const copy_command all = into(bytes.data(), {100}, box::whole({100}));
  flip_bits(all);
  EXPECT_NE(bytes, before);
  flip_bits(all);
  EXPECT_EQ(bytes, before);
}

TEST(BitFlips, StayWithinTheRegion) {
  std::vector<std::uint8_t> bytes(30, 0);
  flip_bits(into(bytes.data(), {5, 6}, {{1, 2}, {3, 4}}));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t row = i / 6, column = i % 6;
    EXPECT_EQ(bytes[i] != 0, row >= 1 && row < 3 && column >= 2 && column < 4) << i;
  }
  std::uint8_t one = 0;
  flip_bits(into(&one, {1}, box::whole({1})));
  EXPECT_NE(one, 0);
  flip_bits(into(nullptr, {4}, {{2}, {2}}));  // nothing is written
}

class corrupted_launches : public ::testing::Test {
 protected:
  launch_ref launch_of_axpy() {
    const auto part = part_of_array(element_type::f32, {4}, box::whole({4}));
    launch_command made;
    made.kernel = ops::axpy.resolve<float, in_buffer<float>, inout_buffer<float>>().definition();
    made.buffers = {{{x.data(), sizeof(float) * 4}, part}, {{y.data(), sizeof(float) * 4}, part}};
    made.scalars = {scalar_argument::of(2.0F)};
    return {new counted_launch(std::move(made))};
  }

  std::vector<float> x = std::vector<float>(4, 1.0F), y = std::vector<float>(4, 3.0F);
  flip_kernels kernels;
};

TEST_F(corrupted_launches, ChangeOnTheHostWhatTheKernelWrites) {
  const launch_ref changed = kernels.corrupted(launch_of_axpy(), true);
  single_lane lane;
  std::vector<buffer_argument> buffers;
  for (const placed_buffer& each : changed->buffers) buffers.push_back(each.argument());
  changed->kernel->host({buffers, changed->scalars, lane});
  EXPECT_THAT(x, Each(1.0F));
  EXPECT_NE(y.front(), 5.0F);
  EXPECT_EQ(std::vector<float>(y.begin() + 1, y.end()), std::vector<float>(3, 5.0F));
}

TEST_F(corrupted_launches, AreSequencesForOtherDevices) {
  const launch_ref original = launch_of_axpy();
  const launch_ref changed = kernels.corrupted(original, false);
  const std::vector<launch_command> parts = parts_of(*changed);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].kernel, original->kernel);
  EXPECT_EQ(parts[0].buffers, original->buffers);
  EXPECT_EQ(parts[1].kernel->name, "flipped bits of u32");
  ASSERT_EQ(parts[1].buffers.size(), 1U);
  EXPECT_EQ(parts[1].buffers.front().where, original->buffers[1].where);
  EXPECT_EQ(parts[1].buffers.front().part->extents(), (index_list{4}));
}

TEST_F(corrupted_launches, KeepTheOriginal) {
  const launch_ref original = launch_of_axpy();
  {
    const launch_ref changed = kernels.corrupted(original, true);
    EXPECT_FALSE(original->is_unshared());
  }
  EXPECT_TRUE(original->is_unshared());
}

}  // namespace
}  // namespace hocket::faults
