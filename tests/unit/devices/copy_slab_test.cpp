// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/copy_slab.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include <hocket/execution/seed.hpp>
#include <hocket/streams/perform.hpp>

namespace hocket {

namespace {

using bytes = std::vector<std::uint8_t>;

/// A box that is not empty, of up to five dimensions.
copy_command random_copy(seeded_stream& random) {
  copy_command made;
  made.element_size = std::size_t{1} << random.below(4);
  for (std::uint64_t rank = random.below(6); made.extents.size() < rank;) {
    const std::size_t extent = 1 + random.below(5);
    const std::size_t begin = random.chance(0.4) ? 0 : random.below(extent);
    const std::size_t end = random.chance(0.4) ? extent : begin + 1 + random.below(extent - begin);
    made.extents.push_back(extent);
    made.region.begin.push_back(begin);
    made.region.end.push_back(end);
  }
  made.bytes = made.region.elements() * made.element_size;
  return made;
}

void copy_slab_of(const copy_slab& slab, const bytes& from, bytes& to) {
  for (std::size_t slice = 0; slice < slab.region[2]; ++slice) {
    for (std::size_t row = 0; row < slab.region[1]; ++row) {
      const std::size_t at = slab.offset() + slice * slab.slice_pitch + row * slab.row_pitch;
      ASSERT_LE(at + slab.region[0], from.size());
      std::memcpy(&to[at], &from[at], slab.region[0]);
    }
  }
}

copy_command box_of(index_list extents, const box& region) {
  return {{}, {}, std::move(extents), 1, region, region.elements()};
}

std::size_t slabs_of(const copy_command& what) {
  std::size_t count = 0;
  for_each_slab(what, [&](const copy_slab&) { return ++count > 0; });
  return count;
}

}  // namespace

TEST(copy_slab, slabs_are_the_box_together) {
  seeded_stream random(11);
  for (int round = 0; round < 5000; ++round) {
    copy_command what = random_copy(random);
    bytes from(volume(what.extents) * what.element_size);
    for (std::uint8_t& b : from) b = static_cast<std::uint8_t>(1 + random.below(255));
    bytes wanted(from.size()), got(from.size());
    what.from = {from.data(), from.size()};
    what.to = {wanted.data(), wanted.size()};
    copy_box(what);
    std::size_t sum = 0;
    for_each_slab(what, [&](const copy_slab& slab) {
      copy_slab_of(slab, from, got);
      sum += slab.region[0] * slab.region[1] * slab.region[2];
      return true;
    });
    ASSERT_EQ(got, wanted);
    ASSERT_EQ(sum, what.bytes) << "no byte is copied twice";
  }
}

TEST(copy_slab, three_dimensions_and_what_is_whole_are_one_slab) {
  EXPECT_EQ(slabs_of(box_of({4, 5, 6}, {{1, 1, 1}, {3, 4, 5}})), 1U);
  EXPECT_EQ(slabs_of(box_of({4, 5, 6, 7}, {{1, 1, 1, 0}, {3, 4, 5, 7}})), 1U);
  EXPECT_EQ(slabs_of(box_of({4, 5, 6, 7}, {{1, 1, 1, 1}, {3, 4, 5, 6}})), 2U);
  for_each_slab(box_of({4, 5}, {{1, 0}, {3, 5}}), [](const copy_slab& slab) {
    EXPECT_TRUE(slab.is_run());
    EXPECT_EQ(slab.offset(), 5U);
    EXPECT_EQ(slab.region[0], 10U);
    return true;
  });
}

TEST(copy_slab, stops_where_it_is_told_to) {
  std::size_t seen = 0;
  for_each_slab(box_of({4, 5, 6, 7}, {{0, 0, 0, 1}, {4, 5, 6, 2}}), [&](const copy_slab&) {
    ++seen;
    return false;
  });
  EXPECT_EQ(seen, 1U);
}

}  // namespace hocket
