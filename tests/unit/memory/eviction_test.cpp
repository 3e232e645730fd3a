// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/memory/eviction.hpp>

#include <algorithm>
#include <random>
#include <span>
#include <vector>

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

std::vector<data_id> choose_victims(const candidates& all, std::uint64_t bytes) {
  eviction_order order;
  for (const eviction_candidate& each : all) order.set(each);
  return order.choose(bytes, 0);
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

TEST(eviction, what_is_set_again_or_erased_counts_no_more) {
  eviction_order order;
  order.set(of(1, 10, 50));
  order.set(of(2, 10, 60));
  order.set(of(2, 20, unknown));
  order.set(of(3, 10, 70, 0, true));
  EXPECT_THAT(order.choose(40, 0), ElementsAre(data_id{2}, data_id{1}, data_id{3}));
  order.erase(data_id{2});
  order.erase(data_id{2});
  EXPECT_EQ(order.size(), 2U);
  EXPECT_THAT(order.choose(40, 0), ElementsAre(data_id{1}, data_id{3}));
  EXPECT_THAT(order.choose(40, 40), ElementsAre(data_id{3}, data_id{1}))
      << "10 and 30 / 2 from now";
}

/// What is to be evicted, found by sorting all candidates.
std::vector<data_id> sorted_victims(candidates all, std::uint64_t bytes, std::uint64_t now) {
  const auto weight = [now](const eviction_candidate& c) -> std::uint64_t {
    if (c.next_use >= unknown) return c.next_use;
    const std::uint64_t distance = c.next_use > now ? c.next_use - now : 0;
    return c.sole_copy ? distance : 2 * distance;
  };
  std::ranges::sort(all, [&](const eviction_candidate& a, const eviction_candidate& b) {
    const bool by_copies = a.next_use < unknown && b.next_use < unknown;
    if (weight(a) != weight(b)) return weight(a) > weight(b);
    if (by_copies && a.sole_copy != b.sole_copy) return b.sole_copy;
    if (a.next_use != b.next_use) return a.next_use > b.next_use;
    return a.last_use != b.last_use ? a.last_use < b.last_use : a.data < b.data;
  });
  std::uint64_t sum = 0;
  std::size_t count = 0;
  while (count < all.size() && sum < bytes) sum += all[count++].bytes;
  all.resize(count);
  for (std::size_t i = count; i-- > 0;) {
    if (sum < bytes || sum - bytes < all[i].bytes) continue;
    sum -= all[i].bytes;
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
  }
  std::vector<data_id> victims;
  for (const eviction_candidate& each : all) victims.push_back(each.data);
  return victims;
}

TEST(eviction, agrees_with_sorting_all) {
  std::mt19937 random(20261124);
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  for (int round = 0; round < 500; ++round) {
    eviction_order order;
    candidates all;
    for (int i = 0; i < 100; ++i) {
      const data_id data{below(12)};
      std::erase_if(all, [&](const eviction_candidate& c) { return c.data == data; });
      if (below(4) == 0) {
        order.erase(data);
      } else {
        const std::uint64_t next = below(4) == 0 ? unknown : below(20);
        all.push_back(of(data.value, below(5), next, below(6), below(2) == 0));
        order.set(all.back());
      }
      ASSERT_EQ(order.size(), all.size());
      const std::uint64_t bytes = below(30), now = below(16);
      ASSERT_EQ(order.choose(bytes, now), sorted_victims(all, bytes, now));
    }
  }
}

}  // namespace
}  // namespace hocket
