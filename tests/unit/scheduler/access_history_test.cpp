// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/access_history.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
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

  /// For each element of the region that was written: by which task last.
  [[nodiscard]] std::map<std::size_t, task_id> writers(const box& region) {
    std::map<std::size_t, task_id> last;
    each_element(region, [&](std::vector<use>& uses) {
      for (const use& each : uses) {
        if (writes_content(each.mode)) {
          last[static_cast<std::size_t>(&uses - uses_.data())] = each.task;
        }
      }
    });
    return last;
  }

 private:
  struct use {
    task_id task;
    access_mode mode;
  };

  template <class Visit>
  void each_element(const box& region, const Visit& visit) {
    for (std::size_t r = region.begin[0]; r < region.end[0]; ++r) {
      for (std::size_t c = region.begin[1]; c < region.end[1]; ++c) visit(uses_[r * columns + c]);
    }
  }

  std::array<std::vector<use>, rows * columns> uses_;
};

/// A history and the oracle, given the same accesses.
class compared {
 public:
  void append(task_id task, const box& region, access_mode mode) {
    const auto live = [&](task_id each) { return !ended_.contains(each); };
    edges found, expected;
    history_.append(task, region, mode, live, [&](task_id earlier, edge_kind kind, const box& of) {
      EXPECT_TRUE(overlap(of, region));
      if (live(earlier)) found.insert({earlier, kind});
    });
    for (const auto& each : oracle_.append(task, region, mode)) {
      if (live(each.first)) expected.insert(each);
    }
    ASSERT_EQ(found, expected) << "task " << task.value << " on " << to_string(region);
  }

  /// Each element has the writer that it should have, once; those that have ended may be missing.
  void expect_writers(const box& region) {
    std::map<std::size_t, task_id> found;
    history_.each_writer(region, [&](task_id task, const box& part) {
      for (std::size_t r = part.begin[0]; r < part.end[0]; ++r) {
        for (std::size_t c = part.begin[1]; c < part.end[1]; ++c) {
          EXPECT_TRUE(found.emplace(r * columns + c, task).second) << "two have written it last";
        }
      }
    });
    const std::map<std::size_t, task_id> expected = oracle_.writers(region);
    for (const auto& [element, task] : found) EXPECT_EQ(expected.at(element), task);
    for (const auto& [element, task] : expected) {
      EXPECT_TRUE(ended_.contains(task) || found.contains(element)) << "task " << task.value;
    }
  }

  void end(task_id task) { ended_.insert(task); }
  void forget_ended() {
    const auto gone = [&](task_id each) { return ended_.contains(each); };
    history_.forget(gone, gone);
  }

 private:
  access_history history_;
  oracle oracle_;
  std::set<task_id> ended_;
};

class choices {
 public:
  [[nodiscard]] std::size_t below(std::size_t bound) { return random_() % bound; }
  [[nodiscard]] box region() {
    if (below(4) == 0) return whole;
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
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr int accesses = 100'000;
#else
  constexpr int accesses = 1'000'000;
#endif
  constexpr int accesses_of_a_round = 100;
  choices random;
  for (int round = 0; round < accesses / accesses_of_a_round; ++round) {
    compared both;
    for (std::uint64_t task = 0; task < accesses_of_a_round; ++task) {
      both.append(task_id{task}, random.region(), random.mode());
      if (::testing::Test::HasFailure()) return;
      if (random.below(2) == 0) both.end(task_id{random.below(task + 1)});
      if (random.below(16) == 0) both.forget_ended();
      if (random.below(16) == 0) both.expect_writers(random.region());
    }
  }
}

TEST(access_history, stays_as_small_as_what_lives) {
  access_history history;
  std::size_t asked = 0;
  const auto live = [&](task_id) {
    ++asked;
    return false;
  };
  for (std::uint64_t task = 0; task < 10'000; ++task) {
    history.append(task_id{task}, {{task % rows, 0}, {task % rows + 1, columns}}, access_mode::read,
                   live, [](task_id, edge_kind) { ADD_FAILURE() << "nothing has written"; });
  }
  EXPECT_LE(asked, 10'000U) << "each is looked at once";
}

}  // namespace
}  // namespace hocket::detail
