// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <hocket/execution/seed.hpp>
#include <hocket/streams/perform.hpp>

namespace hocket {
namespace {

using bytes = std::vector<std::uint8_t>;

allocation whole(bytes& v) { return {v.data(), v.size()}; }

/// Element by element.
void copy_naively(const copy_command& what, const bytes& from, bytes& to) {
  for (std::size_t n = 0, all = volume(what.extents); n < all; ++n) {
    bool inside = true;
    for (std::size_t d = what.extents.size(), rest = n; d-- > 0; rest /= what.extents[d]) {
      const std::size_t i = rest % what.extents[d];
      inside = inside && i >= what.region.begin[d] && i < what.region.end[d];
    }
    for (std::size_t b = 0; inside && b < what.element_size; ++b) {
      to[n * what.element_size + b] = from[n * what.element_size + b];
    }
  }
}

/// A box of up to four dimensions; whole dimensions, single indices and nothing are frequent.
copy_command random_copy(seeded_stream& random) {
  copy_command made;
  made.element_size = std::size_t{1} << random.below(4);
  for (std::uint64_t rank = random.below(5); made.extents.size() < rank;) {
    const std::size_t extent = random.below(8);
    const std::size_t a = random.below(extent + 1), b = random.below(extent + 1);
    const bool all = random.chance(0.4);
    made.extents.push_back(extent);
    made.region.begin.push_back(all ? 0 : std::min(a, b));
    made.region.end.push_back(all ? extent : std::max(a, b));
  }
  made.bytes = made.region.elements() * made.element_size;
  return made;
}

TEST(copy_box, copies_what_a_loop_over_elements_copies) {
  seeded_stream random(7);
  for (int round = 0; round < 20000; ++round) {
    copy_command what = random_copy(random);
    bytes from(volume(what.extents) * what.element_size);
    for (auto& b : from) b = static_cast<std::uint8_t>(random.next());
    bytes to(from.size(), 0), expected = to;
    copy_naively(what, from, expected);
    what.from = whole(from);
    what.to = whole(to);
    copy_box(what);
    ASSERT_EQ(to, expected) << to_string(what.region) << " of " << to_string(what.extents);
  }
}

TEST(placed_buffer, makes_an_argument_of_the_region) {
  std::vector<double> values(24);
  const placed_buffer placed{{values.data() + 2, 24 * 8 - 16},
                             part_of_array(element_type::f64, {2, 11}, {{1, 3}, {2, 7}})};
  const buffer_argument a = placed.argument();
  EXPECT_EQ(a.base, values.data() + 2 + 11 + 3);
  EXPECT_EQ(a.extents, (index_list{1, 4}));
  EXPECT_EQ(a.strides, (index_list{11, 1}));
  EXPECT_EQ(a.type, element_type::f64);
}

}  // namespace
}  // namespace hocket
