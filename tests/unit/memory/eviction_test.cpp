// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/memory/eviction.hpp>

namespace hocket {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using candidates = std::vector<eviction_candidate>;
constexpr std::uint64_t never = eviction_candidate::never;
constexpr std::uint64_t unknown = eviction_candidate::unknown;

eviction_candidate of(std::uint64_t id, std::uint64_t bytes, std::uint64_t next_use,
                      std::uint64_t last_use = 0, bool sole_copy = false) {
  return {data_id{id}, bytes, next_use, last_use, sole_copy};
}

TEST(eviction, dead_data_go_first_then_the_unknown_then_the_farthest) {
  const candidates all{of(1, 10, 5), of(2, 10, 50), of(3, 10, unknown), of(4, 10, never)};
  EXPECT_THAT(choose_victims(all, 40), ElementsAre(data_id{4}, data_id{3}, data_id{2}, data_id{1}));
}

TEST(eviction, stops_when_there_is_enough) {
  const candidates all{of(1, 10, 5), of(2, 10, 50), of(3, 10, 70)};
  EXPECT_THAT(choose_victims(all, 11), ElementsAre(data_id{3}, data_id{2}));
  EXPECT_THAT(choose_victims(all, 10), ElementsAre(data_id{3}));
  EXPECT_THAT(choose_victims(all, 0), IsEmpty());
}

TEST(eviction, a_write_back_counts_as_half_the_distance) {
  const candidates all{of(1, 10, 100, 0, true), of(2, 10, 51), of(3, 10, 49)};
  EXPECT_THAT(choose_victims(all, 30), ElementsAre(data_id{2}, data_id{1}, data_id{3}));
}

TEST(eviction, of_equal_distance_the_clean_goes_first) {
  const candidates all{of(1, 10, 100, 0, true), of(2, 10, 50, 9)};
  EXPECT_THAT(choose_victims(all, 20), ElementsAre(data_id{2}, data_id{1}));
}

TEST(eviction, beyond_the_window_age_alone_counts) {
  const candidates all{of(1, 10, unknown, 3), of(2, 10, unknown, 1, true), of(3, 10, unknown, 2)};
  EXPECT_THAT(choose_victims(all, 30), ElementsAre(data_id{2}, data_id{3}, data_id{1}));
}

TEST(eviction, returns_all_where_all_do_not_suffice) {
  const candidates all{of(1, 10, 5), of(2, 10, 6)};
  EXPECT_THAT(choose_victims(all, 100), ElementsAre(data_id{2}, data_id{1}));
  EXPECT_THAT(choose_victims({}, 100), IsEmpty());
}

TEST(eviction, spares_what_a_large_victim_makes_needless) {
  const candidates all{of(1, 10, 90), of(2, 20, 80), of(3, 100, 70)};
  EXPECT_THAT(choose_victims(all, 100), ElementsAre(data_id{3}));
  EXPECT_THAT(choose_victims(all, 105), ElementsAre(data_id{1}, data_id{3}));
}

TEST(eviction, equals_go_by_id) {
  const candidates all{of(2, 1, 7), of(1, 1, 7), of(3, 1, 7)};
  EXPECT_THAT(choose_victims(all, 3), ElementsAre(data_id{1}, data_id{2}, data_id{3}));
}

TEST(eviction, sizes_that_together_wrap_are_counted) {
  constexpr std::uint64_t half = std::uint64_t{1} << 63U;
  const candidates all{of(1, half, 5), of(2, half, 50), of(3, half, 70)};
  EXPECT_THAT(choose_victims(all, half + 1), ElementsAre(data_id{3}, data_id{2}));
  EXPECT_THAT(choose_victims(all, ~std::uint64_t{0}), ElementsAre(data_id{3}, data_id{2}));
  const candidates small{of(1, half, 5), of(2, 10, 50), of(3, 20, 70)};
  EXPECT_THAT(choose_victims(small, half), ElementsAre(data_id{1}));
}

}  // namespace
}  // namespace hocket
