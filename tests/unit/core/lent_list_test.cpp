// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <array>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/core/lent_list.hpp>

namespace hocket {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

using texts = lent_list<std::string>;

/// Longer than what a string holds without an allocation: leaks and double frees are found.
std::string text(std::size_t number) { return std::string(40, 'x') + std::to_string(number); }

std::vector<std::string> some(std::size_t count) {
  std::vector<std::string> made;
  for (std::size_t i = 0; i < count; ++i) made.push_back(text(i));
  return made;
}

/// A list with room for three.
struct list_with_room {
  explicit list_with_room(std::size_t values = 0) {
    list.lend(room.data(), 3);
    for (const std::string& each : some(values)) list.push_back(each);
  }
  [[nodiscard]] bool is_in_room() const {
    const auto* const first = reinterpret_cast<const std::byte*>(list.data());
    return first == room.data();
  }

  alignas(std::string) std::array<std::byte, 3 * sizeof(std::string)> room;
  texts list;
};

TEST(lent_list, is_two_words_long) { EXPECT_EQ(sizeof(texts), 2 * sizeof(void*)); }

TEST(lent_list, begins_empty_and_without_memory) {
  const texts none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.size(), 0);
  EXPECT_EQ(none.begin(), none.end());
  EXPECT_EQ(none, texts());
}

TEST(lent_list, fills_its_room_and_moves_to_the_heap) {
  list_with_room made;
  for (std::size_t size = 1; size <= 10; ++size) {
    EXPECT_EQ(made.list.emplace_back(text(size - 1)), text(size - 1));
    EXPECT_THAT(made.list, ElementsAreArray(some(size)));
    EXPECT_EQ(made.is_in_room(), size <= 3) << size;
    EXPECT_EQ(made.list.front(), text(0));
    EXPECT_EQ(made.list.back(), text(size - 1));
  }
}

TEST(lent_list, takes_a_value_of_its_own_when_it_moves) {
  list_with_room made(3);
  made.list.push_back(made.list[1]);
  EXPECT_THAT(made.list, ElementsAre(text(0), text(1), text(2), text(1)));
}

TEST(lent_list, reserves_no_more_than_it_needs) {
  list_with_room made(2);
  made.list.reserve(3);
  EXPECT_TRUE(made.is_in_room());
  made.list.reserve(4);
  EXPECT_FALSE(made.is_in_room());
  EXPECT_THAT(made.list, ElementsAreArray(some(2)));
}

TEST(lent_list, keeps_its_room_when_it_is_cleared) {
  list_with_room made(3);
  made.list.clear();
  EXPECT_THAT(made.list, IsEmpty());
  made.list.push_back("again");
  EXPECT_TRUE(made.is_in_room());
  EXPECT_THAT(made.list, ElementsAre("again"));
}

TEST(lent_list, is_copied_to_the_heap) {
  for (const std::size_t size : {0U, 2U, 3U, 5U}) {
    const list_with_room made(size);
    texts copy = made.list;
    EXPECT_EQ(copy, made.list);
    list_with_room assigned(1);
    assigned.list = copy;
    EXPECT_EQ(assigned.list, made.list);
    EXPECT_EQ(assigned.is_in_room(), size <= 3);
    const texts& same = assigned.list;
    assigned.list = same;
    EXPECT_EQ(assigned.list, made.list);
  }
}

TEST(lent_list, leaves_nothing_where_it_is_moved_from) {
  for (const std::size_t size : {0U, 2U, 3U, 5U}) {
    list_with_room made(size);
    texts moved = std::move(made.list);
    EXPECT_THAT(moved, ElementsAreArray(some(size)));
    EXPECT_THAT(made.list, IsEmpty());  // NOLINT(bugprone-use-after-move)
    made.list.push_back("again");
    EXPECT_THAT(made.list, ElementsAre("again"));
    made.list = std::move(moved);
    EXPECT_THAT(made.list, ElementsAreArray(some(size)));
    list_with_room other(1);
    other.list = std::move(made.list);
    EXPECT_THAT(other.list, ElementsAreArray(some(size)));
  }
}

TEST(lent_list, holds_what_cannot_be_copied) {
  lent_list<std::unique_ptr<int>> list;
  for (int i = 0; i < 5; ++i) list.push_back(std::make_unique<int>(i));
  const lent_list<std::unique_ptr<int>> moved = std::move(list);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(*moved[static_cast<std::size_t>(i)], i);
}

TEST(lent_list, is_equal_to_one_with_the_same_values) {
  EXPECT_EQ((lent_list<int>{1, 2}), (lent_list<int>{1, 2}));
  EXPECT_NE((lent_list<int>{1, 2}), (lent_list<int>{1, 3}));
  EXPECT_NE((lent_list<int>{1, 2}), (lent_list<int>{1}));
}

/// One step on a list and on a vector.
void step(texts& list, std::vector<std::string>& model, std::size_t what, std::size_t number) {
  switch (what) {
    case 0:
      list.clear();
      model.clear();
      break;
    case 1:
      list.reserve(number);
      break;
    case 2:
      list = texts(model.begin(), model.end());
      break;
    case 3: {
      texts moved = std::move(list);
      list = std::move(moved);
      break;
    }
    default:
      list.push_back(text(number));
      model.push_back(text(number));
  }
}

TEST(lent_list, does_what_a_vector_does) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    list_with_room made;
    std::vector<std::string> model;
    for (int i = 0; i < 50; ++i) {
      step(made.list, model, random() % 16, random() % 8);
      ASSERT_THAT(made.list, ElementsAreArray(model));
    }
  }
}

}  // namespace
}  // namespace hocket
