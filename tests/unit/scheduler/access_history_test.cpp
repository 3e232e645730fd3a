// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/access_history.hpp"
#include "data/domain_histories.hpp"

#include <gtest/gtest.h>

#include <hocket/core/ids.hpp>
#include <hocket/core/sanitizers.hpp>

#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace hocket::detail {
namespace {

constexpr std::size_t rows = 6, columns = 5;
const box whole = box::whole({rows, columns});

using edges = std::set<std::pair<task_id, edge_kind>>;

/// Keeps every access to every element, and looks at all of them.
class oracle {
 public:
  explicit oracle(const box& all) : columns_(all.end[1]), uses_(all.elements()) {}

  /// What the access depends on, of tasks that have ended too; then appends it.
  edges append(task_id task, const box& region, access_mode mode) {
    edges found;
    each_element(region, [&](std::vector<use>& uses) {
      for (auto at = uses.rbegin(); at != uses.rend(); ++at) {
        if (writes_content(at->mode)) {
          found.insert({at->task, reads_content(mode) ? edge_kind::content : edge_kind::order});
          break;  // what came before, that one comes after
        }
        if (writes_content(mode)) found.insert({at->task, edge_kind::order});
      }
    });
    each_element(region, [&](std::vector<use>& uses) { uses.push_back({task, mode}); });
    return found;
  }

 private:
  struct use {
    task_id task;
    access_mode mode;
  };

  template <class Visit>
  void each_element(const box& region, const Visit& visit) {
    for (std::size_t r = region.begin[0]; r < region.end[0]; ++r) {
      for (std::size_t c = region.begin[1]; c < region.end[1]; ++c) visit(uses_[r * columns_ + c]);
    }
  }

  std::size_t columns_;
  std::vector<std::vector<use>> uses_;
};

/// A history and the oracle, given the same accesses.
class compared {
 public:
  explicit compared(const box& all = whole) : all_(all), oracle_(all) {}

  void append(task_id task, const box& region, access_mode mode) {
    const auto live = [&](task_id each) { return !ended_.contains(each); };
    edges found, expected;
    const auto depend = [&](task_id earlier, edge_kind kind, const box* of) {
      EXPECT_TRUE(of == nullptr || overlap(*of, region));
      if (live(earlier)) found.insert({earlier, kind});
      return live(earlier);
    };
    history_.append(task, region == all_ ? nullptr : &region, all_, mode, live, depend);
    for (const auto& each : oracle_.append(task, region, mode)) {
      if (live(each.first)) expected.insert(each);
    }
    ASSERT_EQ(found, expected) << "task " << task.value << " on " << to_string(region);
  }

  void end(task_id task, bool tell) {
    ended_.insert(task);
    if (tell) history_.forget(task);
  }

 private:
  box all_;
  access_history<task_id> history_;
  oracle oracle_;
  std::set<task_id> ended_;
};

class choices {
 public:
  [[nodiscard]] std::size_t below(std::size_t bound) { return random_() % bound; }
  /// Of ten regions, so many are parts.
  [[nodiscard]] box region(std::size_t parts) {
    if (below(10) >= parts) return whole;
    box made = whole;
    for (std::size_t d = 0; d < 2; ++d) {
      made.begin[d] = below(whole.end[d]);
      made.end[d] = made.begin[d] + 1 + below(whole.end[d] - made.begin[d]);
    }
    return made;
  }
  [[nodiscard]] access_mode mode() { return static_cast<access_mode>(below(3)); }

 private:
  std::mt19937 random_{20261123};
};

TEST(access_history, agrees_with_one_that_keeps_every_access) {
#if defined(HOCKET_ADDRESS_SANITIZER) || defined(HOCKET_THREAD_SANITIZER)
  constexpr int accesses = 100'000;
#else
  constexpr int accesses = 1'000'000;
#endif
  constexpr int accesses_of_a_round = 100;
  choices random;
  for (int round = 0; round < accesses / accesses_of_a_round; ++round) {
    compared both;
    const std::size_t parts = random.below(11);  // from only all to only parts
    for (std::uint64_t task = 0; task < accesses_of_a_round; ++task) {
      both.append(task_id{task}, random.region(parts), random.mode());
      if (::testing::Test::HasFailure()) return;
      if (random.below(2) == 0) both.end(task_id{random.below(task + 1)}, random.below(2) == 0);
    }
  }
}

/// As in a factorization: each region that is written lies within the one before. The history keeps
/// them in a tree, which would become as deep as there are regions.
TEST(access_history, agrees_when_regions_shrink) {
  constexpr std::size_t length = 600, width = 2;
  choices random;
  for (const bool from_both_sides : {false, true}) {
    compared both(box::whole({length, width}));
    std::uint64_t task = 0;
    for (std::size_t k = 1; k < length / 2; ++k) {
      const box left{{k, 0}, {from_both_sides ? length - k : length, width}};
      both.append(task_id{task++}, left, random.mode());
      const std::size_t row = random.below(length);
      const std::size_t end = row + 1 + random.below(length - row);
      both.append(task_id{task++}, {{row, 0}, {end, width}}, access_mode::read);
      if (::testing::Test::HasFailure()) return;
    }
    for (std::size_t row = 0; row < length; row += 3) {
      both.append(task_id{task++}, {{row, 0}, {row + 3, 1}}, access_mode::update);
    }
  }
}

/// Appends reads of tasks that have ended, and returns how often that was asked.
std::size_t asked_of_readers(access_history<task_id>& history, bool of_parts) {
  std::size_t asked = 0;
  const auto live = [&](task_id) {
    ++asked;
    return false;
  };
  for (std::uint64_t task = 0; task < 10'000; ++task) {
    const box row{{task % rows, 0}, {task % rows + 1, columns}};
    history.append(task_id{task}, of_parts ? &row : nullptr, whole, access_mode::read, live,
                   [](task_id, edge_kind, const box*) {
                     ADD_FAILURE() << "nothing has written";
                     return true;
                   });
  }
  return asked;
}

TEST(access_history, stays_as_small_as_what_lives) {
  for (const bool of_parts : {false, true}) {
    access_history<task_id> history;
    EXPECT_LE(asked_of_readers(history, of_parts), 10'000U) << "each is looked at once";
    std::size_t reported = 0;
    history.append(
        task_id{10'000}, nullptr, whole, access_mode::write, [](task_id) { return false; },
        [&](task_id, edge_kind, const box*) {
          ++reported;
          return false;
        });
    EXPECT_LE(reported, 16U);
  }
}

/// Counts who has it.
struct counted {
  std::shared_ptr<int> task;
  friend bool operator==(const counted&, const counted&) = default;
};

TEST(access_history, keeps_no_task_that_it_does_not_need) {
  access_history<counted> history;
  const auto live = [](const counted&) { return true; };
  std::vector<counted> given;
  const auto take = [&](auto&& earlier, edge_kind, const box*) {
    given.push_back(std::forward<decltype(earlier)>(earlier));
    return true;
  };
  const auto add = [&](access_mode mode) {
    counted made{std::make_shared<int>(0)};
    history.append(made, nullptr, whole, mode, live, take);
    return made;
  };
  const counted writer = add(access_mode::write);
  const counted reader = add(access_mode::read);
  EXPECT_EQ(writer.task.use_count(), 3) << "here, what the reader waits for, and the history";
  given.clear();
  const counted last = add(access_mode::write);
  EXPECT_EQ(given, (std::vector{writer, reader}));
  EXPECT_EQ(writer.task.use_count(), 2) << "here, and what the last writer waits for";
  EXPECT_EQ(reader.task.use_count(), 2);
}

TEST(domain_histories, are_empty_and_only_of_what_the_domain_is_over) {
  domain_histories<data_id, task_id> inside;
  inside.cover(data_id{1});
  EXPECT_EQ(inside.find(data_id{2}), nullptr);
  ASSERT_NE(inside.find(data_id{1}), nullptr);
  inside.find(data_id{1})
      ->append(
          task_id{5}, nullptr, whole, access_mode::update, [](task_id) { return true; },
          [](task_id, edge_kind, const box*) {
            ADD_FAILURE() << "nothing is before";
            return true;
          });
  std::vector<task_id> before;
  inside.find(data_id{1})
      ->append(
          task_id{6}, nullptr, whole, access_mode::read, [](task_id) { return true; },
          [&](task_id earlier, edge_kind, const box*) {
            before.push_back(earlier);
            return true;
          });
  EXPECT_EQ(before, std::vector{task_id{5}});
}

}  // namespace
}  // namespace hocket::detail
