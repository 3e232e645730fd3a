// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <map>
#include <random>

#include <gtest/gtest.h>

#include <hocket/core/id_map.hpp>
#include <hocket/core/ids.hpp>

namespace hocket {
namespace {

using map_of_ints = id_map<data_id, int>;

TEST(id_map, finds_what_was_put_in) {
  map_of_ints map;
  EXPECT_EQ(map.find(data_id{3}), nullptr);
  map.insert(data_id{3}, 30);
  ASSERT_NE(map.find(data_id{3}), nullptr);
  EXPECT_EQ(*map.find(data_id{3}), 30);
  EXPECT_EQ(map.find(data_id{4}), nullptr);
  EXPECT_EQ(map.find(data_id{}), nullptr);
  map.erase(data_id{3});
  EXPECT_EQ(map.find(data_id{3}), nullptr);
  EXPECT_EQ(map.size(), 0U);
}

TEST(id_map, values_stay_where_they_are) {
  map_of_ints map;
  const int* const first = &map.insert(data_id{0}, 7);
  for (std::uint64_t i = 1; i < 1000; ++i) map.insert(data_id{i}, 0);
  for (std::uint64_t i = 1; i < 1000; i += 2) map.erase(data_id{i});
  EXPECT_EQ(map.find(data_id{0}), first);
  EXPECT_EQ(*first, 7);
}

TEST(id_map, gives_back_a_value_and_takes_it_again) {
  map_of_ints map;
  const int* const first = &map.insert(data_id{1}, 10);
  std::unique_ptr<int> value = map.extract(data_id{1});
  EXPECT_EQ(value.get(), first);
  EXPECT_EQ(map.find(data_id{1}), nullptr);
  EXPECT_EQ(&map.insert(data_id{2}, std::move(value)), first);
  EXPECT_EQ(map.size(), 1U);
}

TEST(id_map, visits_each) {
  map_of_ints map;
  for (std::uint64_t i = 0; i < 20; ++i) map.insert(data_id{i}, static_cast<int>(i));
  map.erase(data_id{3});
  std::map<std::uint64_t, int> seen;
  map.each([&](data_id id, int value) { seen.emplace(id.value, value); });
  EXPECT_EQ(seen.size(), 19U);
  EXPECT_EQ(seen.at(7), 7);
}

TEST(id_map, a_copy_stands_alone) {
  map_of_ints map;
  for (std::uint64_t i = 0; i < 20; ++i) map.insert(data_id{i}, static_cast<int>(i));
  map_of_ints copy = map;
  *copy.find(data_id{5}) = -1;
  copy.erase(data_id{6});
  EXPECT_EQ(*map.find(data_id{5}), 5);
  EXPECT_EQ(*map.find(data_id{6}), 6);
  copy = map;
  EXPECT_EQ(*copy.find(data_id{6}), 6);
}

// Long-lived ids beside ones that come and go, as of buffers: what lies behind an erased place is
// still found.
TEST(id_map, does_what_a_map_does) {
  std::mt19937 random(7);
  const auto below = [&](std::uint64_t n) {
    return std::uniform_int_distribution<std::uint64_t>(0, n - 1)(random);
  };
  map_of_ints map;
  std::map<std::uint64_t, int> model;
  std::uint64_t next = 0;
  for (int step = 0; step < 20000; ++step) {
    if (below(2) == 0 || model.empty()) {
      // Some leave out so much that they fall on the places of others.
      next += below(8) == 0 ? 1U << below(12) : 1;
      map.insert(data_id{next}, step);
      model[next] = step;
    } else {
      const auto gone = std::next(model.begin(), static_cast<std::ptrdiff_t>(below(model.size())));
      map.erase(data_id{gone->first});
      model.erase(gone);
    }
    ASSERT_EQ(map.size(), model.size());
    if (step % 50 != 0) continue;
    for (const auto& [id, value] : model) {
      const int* const found = map.find(data_id{id});
      ASSERT_NE(found, nullptr) << "id " << id << " at step " << step;
      ASSERT_EQ(*found, value);
      if (!model.contains(id + 1)) {
        ASSERT_EQ(map.find(data_id{id + 1}), nullptr);
      }
    }
  }
}

}  // namespace
}  // namespace hocket
