// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/core/region_map.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include <hocket/core/sanitizers.hpp>

namespace hocket {
namespace {

/// A state for every element.
class oracle {
 public:
  oracle(const index_list& extents, int initial)
      : strides_(dense_strides(extents)), states_(volume(extents), initial) {}

  template <class Visit>
  void each(const box& region, const Visit& visit) {
    if (!region.empty()) each_along(0, 0, region, visit);
  }

 private:
  template <class Visit>
  void each_along(std::size_t d, std::size_t from, const box& region, const Visit& visit) {
    if (d == region.rank()) return visit(states_[from]);
    for (std::size_t i = region.begin[d]; i < region.end[d]; ++i) {
      each_along(d + 1, from + i * strides_[d], region, visit);
    }
  }

  index_list strides_;
  std::vector<int> states_;
};

/// A map and the oracle, to which the same happens.
class compared {
 public:
  explicit compared(const index_list& extents)
      : whole_(box::whole(extents)), map_(whole_, 0), oracle_(extents, 0) {}

  void change(std::mt19937& random) {
    const box region = some_region(random);
    const int value = static_cast<int>(random() % 3);
    const auto add = [value](int& state) { state = (state + value) % 4; };
    switch (random() % 4) {
      case 0:
        map_.change_all(add);
        return oracle_.each(whole_, add);
      case 1:
        map_.change(region, add);
        return oracle_.each(region, add);
      case 2:
        if (int* const found = map_.exact(region)) {
          add(*found);
          oracle_.each(region, add);
        }
        return map_.merge_equal();
      default:
        map_.replace(region, value);
        oracle_.each(region, [&](int& state) { state = value; });
    }
  }

  void expect_same(std::mt19937& random) {
    const box region = some_region(random);
    std::size_t elements = 0, pieces = 0;
    map_.visit(region, [&](const box& part, int state) {
      ++pieces;
      elements += part.elements();
      ASSERT_TRUE(contains(region, part) && !part.empty());
      oracle_.each(part, [&](int expected) { ASSERT_EQ(state, expected); });
    });
    ASSERT_EQ(elements, region.elements()) << "each element is in one piece";
    ASSERT_LE(pieces, map_.size());
    bool all = true;
    oracle_.each(region, [&](int state) { all = all && state < 2; });
    ASSERT_EQ(map_.all(region, [](int state) { return state < 2; }), all);
    bool any = false;
    oracle_.each(whole_, [&](int state) { any = any || state == 3; });
    ASSERT_EQ(map_.any([](int state) { return state == 3; }), any);
    ASSERT_EQ(map_.only() != nullptr, map_.size() == 1);
  }

 private:
  [[nodiscard]] box some_region(std::mt19937& random) const {
    if (random() % 8 == 0) return whole_;
    box made = whole_;
    for (std::size_t d = 0; d < whole_.rank(); ++d) {
      made.begin[d] = random() % (whole_.end[d] + 1);
      made.end[d] = made.begin[d] + random() % (whole_.end[d] - made.begin[d] + 1);
    }
    return made;
  }

  box whole_;
  region_map<int> map_;
  oracle oracle_;
};

TEST(region_map, agrees_with_a_state_for_every_element) {
#if defined(HOCKET_ADDRESS_SANITIZER) || defined(HOCKET_THREAD_SANITIZER)
  constexpr int rounds = 400;
#else
  constexpr int rounds = 8'000;
#endif
  const std::vector<index_list> shapes{{},     {0},       {1},       {17},
                                       {6, 5}, {4, 0, 2}, {4, 3, 5}, {2, 3, 2, 3}};
  std::mt19937 random{20261123};
  for (int round = 0; round < rounds; ++round) {
    compared both(shapes[static_cast<std::size_t>(round) % shapes.size()]);
    for (int i = 0; i < 60; ++i) {
      both.change(random);
      both.expect_same(random);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(region_map, is_one_piece_where_all_is_the_same) {
  constexpr std::size_t side = 40;
  region_map<int> map(box::whole({side, side}), 0);
  std::vector<std::size_t> order(side * side);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937{1});
  for (const std::size_t at : order) {
    const std::size_t r = at / side, c = at % side;
    map.replace({{r, c}, {r + 1, c + 1}}, 1);
    EXPECT_EQ(map.size() == 1, at == order.back());
  }
  EXPECT_EQ(*map.only(), 1);
}

TEST(region_map, has_a_piece_for_each_tile) {
  constexpr std::size_t tiles = 12, size = 7;
  region_map<std::size_t> map(box::whole({tiles * size, tiles * size}), 0);
  std::vector<std::size_t> order(tiles * tiles);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937{2});
  const auto tile = [](std::size_t at) {
    const std::size_t r = at / tiles * size, c = at % tiles * size;
    return box{{r, c}, {r + size, c + size}};
  };
  for (const std::size_t at : order) map.replace(tile(at), at + 1);
  EXPECT_EQ(map.size(), tiles * tiles);
  for (const std::size_t at : order) {
    ASSERT_NE(map.exact(tile(at)), nullptr);
    EXPECT_EQ(*map.exact(tile(at)), at + 1);
  }
  EXPECT_EQ(map.exact({{0, 0}, {size, 2 * size}}), nullptr);
}

TEST(region_map, changes_about_a_region_without_cutting_its_neighbours) {
  region_map<int> map(box::whole({9}), 0);
  const auto set = [](int value) { return [value](int& state) { state = value; }; };
  map.change_about({{3}, {6}}, set(1));
  EXPECT_EQ(map.size(), 3U) << "the region was within a piece";
  map.change_about({{2}, {7}}, set(2));
  EXPECT_EQ(map.size(), 1U) << "all pieces were changed, none was cut";
  EXPECT_EQ(*map.only(), 2);
  map.replace({{3}, {6}}, 1);
  map.change_about({{5}, {9}}, set(3));
  EXPECT_EQ(*map.exact({{0}, {3}}), 2);
  EXPECT_EQ(*map.exact({{3}, {9}}), 3) << "joined";
}

TEST(region_map, keeps_what_surrounds_a_corner_by_few_pieces) {
  constexpr std::size_t side = 40;
  for (const bool from_all_sides : {false, true}) {
    region_map<std::size_t> map(box::whole({side, side}), 0);
    const std::size_t steps = from_all_sides ? side / 2 : side;
    for (std::size_t k = 0; k < steps; ++k) {
      const std::size_t end = from_all_sides ? side - k : side;
      map.replace({{k, k}, {end, end}}, k + 1);
    }
    EXPECT_GT(map.size(), 2 * (steps - 1));
    const std::size_t last = steps - 1;
    map.change_all([&](std::size_t& state) { state = state == steps ? 1 : 0; });
    map.merge_equal();
    EXPECT_EQ(map.size(), from_all_sides ? 5U : 3U);
    for (std::size_t r = 0; r < side; ++r) {
      for (std::size_t c = 0; c < side; ++c) {
        const std::size_t end = from_all_sides ? side - last : side;
        const bool in_corner = std::min(r, c) >= last && std::max(r, c) < end;
        map.each({{r, c}, {r + 1, c + 1}},
                 [&](std::size_t state) { ASSERT_EQ(state, in_corner ? 1U : 0U); });
      }
    }
  }
}

TEST(region_map, is_copied_with_its_pieces) {
  region_map<int> map(box::whole({8}), 0);
  map.replace({{2}, {3}}, 1);
  region_map<int> copy = map;
  map.replace({{0}, {8}}, 2);
  EXPECT_EQ(map.size(), 1U);
  ASSERT_NE(copy.exact({{2}, {3}}), nullptr);
  EXPECT_EQ(*copy.exact({{2}, {3}}), 1);
}

}  // namespace
}  // namespace hocket
