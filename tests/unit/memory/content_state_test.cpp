// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/memory/content_state.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include <hocket/core/sanitizers.hpp>

namespace hocket {
namespace {

constexpr std::size_t rows = 6, columns = 5;
const box whole = box::whole({rows, columns});

/// Keeps an origin for every element.
class oracle {
 public:
  void set(const box& region, const origin& now) {
    each(region, [&](origin& of) { of = now; });
  }
  void lose(const box& region, const failure& why) {
    each(region, [&](origin& of) {
      if (of.written && !of.poison) of.poison = why;
    });
  }

  template <class Visit>
  void each(const box& region, const Visit& visit) {
    for (std::size_t r = region.begin[0]; r < region.end[0]; ++r) {
      for (std::size_t c = region.begin[1]; c < region.end[1]; ++c) visit(all_[r * columns + c]);
    }
  }

 private:
  std::array<origin, rows * columns> all_;
};

class choices {
 public:
  [[nodiscard]] std::size_t below(std::size_t bound) { return random_() % bound; }
  [[nodiscard]] box region() {
    if (below(8) == 0) return whole;
    box made = whole;
    for (std::size_t d = 0; d < 2; ++d) {
      made.begin[d] = below(whole.end[d] + 1);
      made.end[d] = made.begin[d] + below(whole.end[d] - made.begin[d] + 1);
    }
    return made;
  }

 private:
  std::mt19937 random_{20261123};
};

/// A state and the oracle, to which the same happens.
class compared {
 public:
  void change(choices& random) {
    const box region = random.region();
    const task_id task{random.below(3)};
    const failure& why = failures_[random.below(failures_.size())];
    switch (random.below(5)) {
      case 4:
        return forget_writers(task);
      case 0:
        state_.poison(whole, region, task, why);
        return oracle_.set(region, {true, task, why});
      case 1:
        state_.lose(whole, region, why);
        return oracle_.lose(region, why);
      default:
        state_.write(whole, region, task);
        oracle_.set(region, {true, task, {}});
    }
  }

  void expect_same(const box& region) {
    bool written = true, sound = true;
    std::vector<std::string> poisons;
    std::size_t elements = 0;
    oracle_.each(region, [&](const origin& of) {
      written = written && of.written;
      if (of.poison) poisons.push_back(of.poison.message());
    });
    oracle_.each(whole, [&](const origin& of) { sound = sound && of.sound(); });
    ASSERT_EQ(state_.is_written(region), written);
    ASSERT_EQ(state_.is_sound(), sound);
    const failure poison = state_.poison_of(region);
    ASSERT_EQ(static_cast<bool>(poison), !poisons.empty());
    if (poison) {
      ASSERT_TRUE(std::ranges::count(poisons, poison.message()) > 0);
    }
    state_.visit(region, [&](const box& part, const origin& found) {
      elements += part.elements();
      ASSERT_TRUE(contains(region, part));
      oracle_.each(part, [&](const origin& of) {
        ASSERT_EQ(found.written, of.written);
        ASSERT_EQ(found.writer, of.writer);
        ASSERT_EQ(static_cast<bool>(found.poison), static_cast<bool>(of.poison));
        if (of.poison) {
          ASSERT_EQ(found.poison.message(), of.poison.message());
        }
      });
    });
    ASSERT_EQ(elements, region.elements()) << "each element is in one part";
  }

  [[nodiscard]] content_state& state() { return state_; }

 private:
  void forget_writers(task_id first_live) {
    const auto is_live = [&](task_id each) { return each.value >= first_live.value; };
    const bool is_divided = state_.parts_count() > 1;
    const bool any_left = state_.forget_writers(is_live);
    bool expected = false;
    oracle_.each(whole, [&](origin& of) {
      if (!is_divided || !of.writer.valid()) return;
      if (is_live(of.writer)) {
        expected = true;
      } else {
        of.writer = {};
      }
    });
    ASSERT_EQ(any_left, expected && state_.parts_count() > 1);
  }

  std::vector<failure> failures_{{failure_code::task_failed, "one"},
                                 {failure_code::device_lost, "two"},
                                 {failure_code::cancelled, "three"}};
  content_state state_;
  oracle oracle_;
};

TEST(content_state, agrees_with_one_that_keeps_every_element) {
#if defined(HOCKET_ADDRESS_SANITIZER) || defined(HOCKET_THREAD_SANITIZER)
  constexpr int changes = 50'000;
#else
  constexpr int changes = 1'000'000;
#endif
  constexpr int changes_of_a_round = 50;
  choices random;
  for (int round = 0; round < changes / changes_of_a_round; ++round) {
    compared both;
    for (int i = 0; i < changes_of_a_round; ++i) {
      both.change(random);
      if (random.below(4) == 0) both.expect_same(random.region());
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(content_state, keeps_no_parts_where_all_is_the_same) {
  content_state state;
  EXPECT_FALSE(state.is_written(whole));
  for (std::size_t row = 0; row < rows; ++row) {
    EXPECT_EQ(state.parts_count() > 1, row > 0);
    state.write(whole, {{row, 0}, {row + 1, columns}}, {});
  }
  EXPECT_TRUE(state.is_sound());
  EXPECT_EQ(state.parts_count(), 1U);
  EXPECT_NE(state.only(), nullptr);
}

TEST(content_state, is_copied_with_its_parts) {
  content_state state;
  const box first{{0, 0}, {1, columns}};
  state.write(whole, first, task_id{1});
  content_state copy = state;
  state.write(whole, whole, task_id{2});
  EXPECT_TRUE(state.is_sound());
  EXPECT_TRUE(copy.is_written(first));
  EXPECT_FALSE(copy.is_written(whole));
  copy.poison_all({failure_code::task_failed, "lost"});
  EXPECT_TRUE(copy.poison_of(first));
  EXPECT_FALSE(state.poison_of(whole));
}

}  // namespace
}  // namespace hocket
