// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/kept_bytes.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

namespace hocket::placement {
namespace {

/// A replica whose elements are their own offsets, and one that is zero but for what is restored.
template <class T>
class kept_array {
 public:
  explicit kept_array(const index_list& extents)
      : extents_(extents), from_(volume(extents)), to_(volume(extents), T{0}) {
    std::iota(from_.begin(), from_.end(), T{1});
  }

  [[nodiscard]] kept_ref keep(const box& part) const {
    auto made = std::make_shared<kept_bytes>();
    made->part = part_of_array(element_type_of<T>, extents_, part);
    made->read_from(reinterpret_cast<const std::byte*>(from_.data()));
    return made;
  }

  [[nodiscard]] bool restore(const kept_ref& kept, const box& region) {
    return kept->write_to(reinterpret_cast<std::byte*>(to_.data()), region);
  }

  /// The elements of the region, in order, and nothing else have to be as they were.
  void expect_restored(const box& region) const {
    const index_list strides = dense_strides(extents_);
    for (std::size_t i = 0; i < from_.size(); ++i) {
      index_list at(extents_.size());
      for (std::size_t d = 0; d < at.size(); ++d) at[d] = i / strides[d] % extents_[d];
      index_list behind = at;
      for (std::size_t& each : behind) ++each;
      const bool is_within = contains(region, {at, behind});
      EXPECT_EQ(to_[i], is_within ? from_[i] : T{0}) << i << " of " << to_string(region);
    }
  }

 private:
  index_list extents_;
  std::vector<T> from_;
  std::vector<T> to_;
};

/// Calls use(box) for each box in that one which is not empty.
template <class Use>
void each_box_within(const box& whole, const Use& use, std::size_t d = 0, box so_far = {}) {
  if (d == 0) so_far = whole;
  if (d == whole.rank()) return use(so_far);
  for (std::size_t begin = whole.begin[d]; begin < whole.end[d]; ++begin) {
    for (std::size_t end = begin + 1; end <= whole.end[d]; ++end) {
      so_far.begin[d] = begin;
      so_far.end[d] = end;
      each_box_within(whole, use, d + 1, so_far);
    }
  }
}

/// Each part of the array is kept, and each region of it restored.
template <class T>
void keep_and_restore_all(const index_list& extents) {
  each_box_within(box::whole(extents), [&](const box& part) {
    const kept_ref kept = kept_array<T>(extents).keep(part);
    ASSERT_TRUE(kept->was_read);
    ASSERT_EQ(kept->size(), part.elements() * sizeof(T));
    ASSERT_EQ(kept->bytes.size(), kept->size());
    each_box_within(part, [&](const box& region) {
      kept_array<T> array(extents);
      ASSERT_TRUE(array.restore(kept, region));
      array.expect_restored(region);
    });
  });
}

TEST(kept_bytes, lie_row_after_row) {
  const kept_ref kept = kept_array<std::int32_t>({3, 4}).keep({{1, 1}, {3, 3}});
  std::vector<std::int32_t> values(4);
  ASSERT_EQ(kept->bytes.size(), sizeof(std::int32_t) * values.size());
  std::memcpy(values.data(), kept->bytes.data(), kept->bytes.size());
  EXPECT_EQ(values, (std::vector<std::int32_t>{6, 7, 10, 11}));
}

TEST(kept_bytes, restore_each_region_of_each_part_in_one_dimension) {
  keep_and_restore_all<float>({7});
  keep_and_restore_all<std::uint8_t>({7});
  keep_and_restore_all<std::uint64_t>({1});
}

TEST(kept_bytes, restore_each_region_of_each_part_in_two_dimensions) {
  keep_and_restore_all<double>({3, 4});
  keep_and_restore_all<std::int16_t>({4, 3});
  keep_and_restore_all<std::int8_t>({1, 5});
  keep_and_restore_all<std::uint32_t>({5, 1});
}

TEST(kept_bytes, restore_each_region_of_each_part_in_three_dimensions) {
  keep_and_restore_all<std::uint16_t>({2, 3, 2});
  keep_and_restore_all<std::int64_t>({3, 1, 2});
  keep_and_restore_all<float>({2, 2, 3});
}

TEST(kept_bytes, of_an_empty_part_are_none) {
  const kept_ref kept = kept_array<float>({3, 4}).keep({{1, 2}, {3, 2}});
  EXPECT_TRUE(kept->was_read);
  EXPECT_EQ(kept->size(), 0U);
  EXPECT_TRUE(kept->bytes.empty());
}

TEST(kept_bytes, that_were_not_read_are_not_restored) {
  auto kept = std::make_shared<kept_bytes>();
  const box all{{0}, {4}};
  kept->part = part_of_array(element_type::f32, all.end, all);
  EXPECT_FALSE(kept->was_read);
  EXPECT_EQ(kept->size(), 4 * sizeof(float));
  kept_array<float> array(all.end);
  EXPECT_FALSE(array.restore(kept, all));
}

}  // namespace
}  // namespace hocket::placement
