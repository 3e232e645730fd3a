// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/core/shape.hpp>
#include <hocket/core/short_list.hpp>

namespace hocket {
namespace {

using testing::ElementsAreArray;

std::vector<std::size_t> numbers(const index_list& list) { return {list.begin(), list.end()}; }

/// rank different numbers, none of them zero.
std::vector<std::size_t> sample(std::size_t rank, std::size_t seed = 1) {
  std::vector<std::size_t> made(rank);
  for (std::size_t d = 0; d < rank; ++d) made[d] = 100 * seed + d + 1;
  return made;
}

index_list list_of(const std::vector<std::size_t>& from) { return {from.begin(), from.end()}; }

/// Ranks without an allocation and beyond.
class list_of_rank : public testing::TestWithParam<std::size_t> {
 protected:
  std::vector<std::size_t> model = sample(GetParam());
  index_list list = list_of(model);
};
INSTANTIATE_TEST_SUITE_P(all, list_of_rank, testing::Range<std::size_t>(0, 10));

TEST_P(list_of_rank, holds_what_it_was_made_of) {
  EXPECT_EQ(list.size(), model.size());
  EXPECT_EQ(list.empty(), model.empty());
  EXPECT_THAT(numbers(list), ElementsAreArray(model));
  for (std::size_t d = 0; d < model.size(); ++d) EXPECT_EQ(list[d], model[d]);
  if (!model.empty()) {
    EXPECT_EQ(list.back(), model.back());
  }
}

TEST_P(list_of_rank, is_filled_with_one_value) {
  EXPECT_THAT(numbers(index_list(GetParam(), 7)),
              ElementsAreArray(std::vector<std::size_t>(GetParam(), 7)));
  EXPECT_THAT(numbers(index_list(GetParam())),
              ElementsAreArray(std::vector<std::size_t>(GetParam(), 0)));
}

TEST_P(list_of_rank, grows_one_by_one) {
  index_list grown;
  for (const std::size_t n : model) grown.push_back(n);
  EXPECT_EQ(grown, list);
  EXPECT_THAT(numbers(grown), ElementsAreArray(model));
}

TEST_P(list_of_rank, takes_a_number_anywhere) {
  for (std::size_t at = 0; at <= model.size(); ++at) {
    index_list longer = list;
    longer.insert(at, 5);
    std::vector<std::size_t> expected = model;
    expected.insert(expected.begin() + static_cast<std::ptrdiff_t>(at), 5);
    EXPECT_THAT(numbers(longer), ElementsAreArray(expected));
  }
}

TEST_P(list_of_rank, shrinks_to_every_size) {
  for (std::size_t size = 0; size <= model.size(); ++size) {
    index_list shorter = list;
    shorter.shrink(size);
    const std::vector<std::size_t> expected(model.begin(),
                                            model.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THAT(numbers(shorter), ElementsAreArray(expected));
    EXPECT_EQ(shorter, list_of(expected));
  }
  list.clear();
  EXPECT_EQ(list, index_list{});
}

TEST_P(list_of_rank, a_copy_stands_alone) {
  index_list copy = list;
  EXPECT_EQ(copy, list);
  for (std::size_t& n : copy) ++n;
  copy.push_back(0);
  EXPECT_THAT(numbers(list), ElementsAreArray(model));
}

TEST_P(list_of_rank, moving_leaves_the_empty_list) {
  index_list moved = std::move(list);
  EXPECT_THAT(numbers(moved), ElementsAreArray(model));
  EXPECT_TRUE(list.empty());  // NOLINT: that is the promise
  EXPECT_EQ(list, index_list{});
  list.push_back(5);
  EXPECT_EQ(list, index_list{5});
}

TEST_P(list_of_rank, is_assigned_to_every_rank) {
  for (std::size_t before = 0; before < 10; ++before) {
    index_list copied = list_of(sample(before, 2));
    copied = list;
    EXPECT_EQ(copied, list);
    EXPECT_THAT(numbers(copied), ElementsAreArray(model));

    index_list source = list;
    index_list moved = list_of(sample(before, 2));
    moved = std::move(source);
    EXPECT_THAT(numbers(moved), ElementsAreArray(model));
    EXPECT_TRUE(source.empty());  // NOLINT: that is the promise
  }
}

TEST_P(list_of_rank, is_assigned_to_itself) {
  index_list& same = list;
  list = same;
  EXPECT_THAT(numbers(list), ElementsAreArray(model));
  list = std::move(same);
  EXPECT_THAT(numbers(list), ElementsAreArray(model));
}

TEST_P(list_of_rank, is_compared_by_every_number) {
  for (std::size_t d = 0; d < model.size(); ++d) {
    index_list other = list;
    ++other[d];
    EXPECT_NE(list, other);
    EXPECT_LT(list, other);
    EXPECT_GT(other, list);
  }
  index_list longer = list;
  longer.push_back(0);
  EXPECT_NE(list, longer);
  EXPECT_LT(list, longer);
}

TEST_P(list_of_rank, is_compared_as_a_vector_is) {
  for (std::size_t rank = 0; rank < 10; ++rank) {
    const std::vector<std::size_t> other = sample(rank);
    EXPECT_EQ(list == list_of(other), model == other);
    EXPECT_EQ(list <=> list_of(other), model <=> other);
  }
}

// What is not a number is equal where all of its parts are.
TEST(short_list, holds_values_with_a_default_of_their_own) {
  struct pair {
    int first = 3;
    int second = 4;
    bool operator==(const pair&) const = default;
  };
  short_list<pair, 2> list(1, {1, 2});
  list.push_back({5, 6});
  short_list<pair, 2> other = list;
  other[1].second = 7;
  EXPECT_NE(list, other);
  other.shrink(1);
  other.push_back({5, 6});
  EXPECT_EQ(list, other);
  EXPECT_EQ((short_list<pair, 2>(4)[3]), pair{});
}

// Equal numbers are an equal list whichever way they came to be in it.
TEST(short_list, forgets_what_it_held_before) {
  index_list list{1, 2, 3};
  list = index_list{1};
  EXPECT_EQ(list, index_list{1});
  list.push_back(9);
  EXPECT_EQ(list, (index_list{1, 9}));
  index_list many(6, 4);
  many = list;
  EXPECT_EQ(many, (index_list{1, 9}));
}

TEST(short_list, does_what_a_vector_does) {
  std::mt19937 random(20240607);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  std::vector<index_list> lists(4);
  std::vector<std::vector<std::size_t>> models(4);
  for (int step = 0; step < 20000; ++step) {
    const std::size_t a = below(4), b = below(4);
    switch (below(7)) {
      case 0:
        lists[a] = lists[b];
        models[a] = models[b];
        break;
      case 1:
        if (a == b) break;
        lists[a] = std::move(lists[b]);
        models[a] = std::move(models[b]);
        lists[b] = index_list(below(8), 2);
        models[b].assign(lists[b].begin(), lists[b].end());
        break;
      case 2:
        models[a].assign(below(8), below(3));
        lists[a] = list_of(models[a]);
        break;
      case 3:
        if (models[a].empty()) break;
        models[a].back() = lists[a].back() = below(3);
        break;
      case 4:
        lists[a].shrink(lists[a].size() / 2);
        models[a].resize(models[a].size() / 2);
        break;
      default:
        if (models[a].size() > 20) break;
        models[a].push_back(below(3));
        lists[a].push_back(models[a].back());
    }
    ASSERT_THAT(numbers(lists[a]), ElementsAreArray(models[a])) << "step " << step;
    ASSERT_EQ(lists[a] == lists[b], models[a] == models[b]) << "step " << step;
    ASSERT_EQ(lists[a] <=> lists[b], models[a] <=> models[b]) << "step " << step;
  }
}

}  // namespace
}  // namespace hocket
