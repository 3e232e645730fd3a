// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/throttle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <vector>

namespace hocket::detail {
namespace {

constexpr std::size_t lines = 3, budgets = 2;
constexpr std::array<std::uint64_t, budgets> capacities{10, 25};

/// Decides as the throttle does, with nothing remembered but what each task asked for and has.
class oracle {
 public:
  void announce(const throttle_request& r) { tasks_.push_back({r}); }
  void want_bytes(task_id id) { find(id)->wants = true; }
  void leave_line(task_id id) { find(id)->in_line = false; }
  void withdraw(task_id id) {
    task& t = *find(id);
    t.in_line = false;
    t.is_withdrawn = true;
  }
  void give_back(task_id id) { find(id)->has_bytes = false; }

  std::vector<task_id> grant() {
    std::vector<task_id> granted;
    for (task& t : tasks_) {
      if (t.asks() && t.wants && t.r.bytes == 0) take(t, granted);
    }
    for (std::size_t b = 0; b < budgets; ++b) grant_from(b, granted);
    return granted;
  }

  [[nodiscard]] task_id first_of(std::size_t line) const {
    const task* first = nullptr;
    for (const task& t : tasks_) {
      if (!t.r.in_order || !t.in_line || t.r.line != line) continue;
      if (first == nullptr || comes_before(t, *first)) first = &t;
    }
    return first == nullptr ? task_id{} : first->r.id;
  }

  /// Forgets tasks of which nothing is left.
  void tidy() {
    std::erase_if(tasks_, [](const task& t) { return t.is_withdrawn && !t.has_bytes; });
  }

 private:
  struct task {
    throttle_request r;
    bool in_line = r.in_order;
    bool wants = false;
    bool is_granted = !r.budget.valid();
    bool has_bytes = false;
    bool is_withdrawn = false;
    [[nodiscard]] bool asks() const { return !is_granted && !is_withdrawn; }
  };

  [[nodiscard]] task* find(task_id id) {
    return &*std::ranges::find_if(tasks_, [&](const task& t) { return t.r.id == id; });
  }
  static bool comes_before(const task& a, const task& b) {
    return a.r.priority != b.r.priority ? a.r.priority > b.r.priority : a.r.age < b.r.age;
  }
  static void take(task& t, std::vector<task_id>& granted) {
    t.is_granted = true;
    t.has_bytes = t.r.bytes > 0;
    granted.push_back(t.r.id);
  }
  void grant_from(std::size_t budget, std::vector<task_id>& granted) {
    std::uint64_t left = capacities[budget];
    std::vector<task*> asking;
    for (task& t : tasks_) {
      if (t.r.budget != budget_id{budget}) continue;
      if (t.has_bytes) left -= t.r.bytes;
      if (t.asks()) asking.push_back(&t);
    }
    std::ranges::sort(asking, [](const task* a, const task* b) { return comes_before(*a, *b); });
    for (task* const t : asking) {
      if (left == 0) return;
      const std::uint64_t bytes = t->r.bytes;
      if (t->wants && bytes <= left) take(*t, granted);
      left -= std::min(left, bytes);
    }
  }

  std::vector<task> tasks_;
};

/// Random tasks that are announced, become ready, start, end, or are cancelled at any point.
class random_tasks {
 public:
  explicit random_tasks(unsigned seed) : random_(seed) {}

  void step() {
    switch (below(5)) {
      case 0:
        if (live_.size() < 24) announce();
        break;
      case 1:
        if (throttle_request* const r = any(live_)) want_bytes(*r);
        break;
      case 2:
        if (throttle_request* const r = any(live_)) leave_line(*r);
        break;
      case 3:
        if (throttle_request* const r = any(live_)) withdraw(*r);
        break;
      default:
        if (throttle_request* const r = any(holding_)) give_back(*r);
        break;
    }
    compare();
  }

 private:
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }
  throttle_request* any(std::map<task_id, throttle_request>& from) {
    if (from.empty()) return nullptr;
    return &std::next(from.begin(), static_cast<std::ptrdiff_t>(below(from.size())))->second;
  }

  void announce() {
    throttle_request r;
    r.id = task_id{1000 - announced_ % 500 + 1000 * announced_};  // not in the order of age
    r.age = announced_++;
    r.priority = static_cast<std::int64_t>(below(3)) - 1;
    r.in_order = below(2) == 0;
    if (r.in_order) r.line = below(lines);
    if (!r.in_order || below(2) == 0) {
      r.budget = budget_id{below(budgets)};
      r.capacity = capacities[r.budget.value];
      r.bytes = below(r.capacity + 1);
    }
    ASSERT_TRUE(r.is_throttled());
    throttle_.announce(r);
    oracle_.announce(r);
    live_.emplace(r.id, r);
  }
  void want_bytes(const throttle_request& r) {
    if (!r.budget.valid() || wanting_.contains(r.id)) return;
    wanting_.emplace(r.id, r);
    throttle_.want_bytes(r);
    oracle_.want_bytes(r.id);
  }
  void leave_line(const throttle_request& r) {
    const bool stood = r.in_order && in_line(r);
    EXPECT_EQ(throttle_.leave_line(r), stood);
    out_of_line_.emplace(r.id, r);
    oracle_.leave_line(r.id);
  }
  [[nodiscard]] bool in_line(const throttle_request& r) const {
    return !out_of_line_.contains(r.id);
  }
  void withdraw(const throttle_request& r) {
    throttle_.withdraw(r);
    oracle_.withdraw(r.id);
    live_.erase(task_id{r.id});
  }
  void give_back(const throttle_request& r) {
    throttle_.give_back(r.id);
    oracle_.give_back(r.id);
    holding_.erase(task_id{r.id});
  }

  void compare() {
    std::vector<task_id> granted;
    if (throttle_.changed()) granted = throttle_.grant();
    std::vector<task_id> expected = oracle_.grant();
    // Of different budgets the order does not matter.
    std::ranges::sort(granted);
    std::ranges::sort(expected);
    ASSERT_EQ(granted, expected);
    for (const task_id id : granted) holding_.emplace(id, wanting_.at(id));
    for (std::size_t line = 0; line < lines; ++line) {
      ASSERT_EQ(throttle_.first_of(line), oracle_.first_of(line));
    }
    if (throttle_request* const r = any(live_)) {
      EXPECT_EQ(throttle_.has_turn(*r), !r->in_order || oracle_.first_of(r->line) == r->id);
    }
    if (announced_ % 64 == 0) oracle_.tidy();
  }

  std::mt19937 random_;
  throttle throttle_{lines};
  oracle oracle_;
  std::uint64_t announced_ = 0;
  std::map<task_id, throttle_request> live_;  ///< announced and not withdrawn
  std::map<task_id, throttle_request> wanting_;
  std::map<task_id, throttle_request> out_of_line_;
  std::map<task_id, throttle_request> holding_;
};

TEST(throttle, decides_as_one_that_remembers_everything) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    random_tasks tasks(seed);
    for (int i = 0; i < 500; ++i) {
      tasks.step();
      ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed << ", step " << i;
    }
  }
}

TEST(throttle, bytes_are_kept_for_a_task_of_higher_priority_that_is_not_ready) {
  throttle one(1);
  const throttle_request low{
      .id = task_id{1}, .age = 0, .budget = budget_id{0}, .bytes = 6, .capacity = 10};
  const throttle_request high{.id = task_id{2},
                              .age = 1,
                              .priority = 1,
                              .budget = budget_id{0},
                              .bytes = 6,
                              .capacity = 10};
  one.announce(low);
  one.announce(high);
  one.want_bytes(low);
  EXPECT_TRUE(one.grant().empty());
  one.want_bytes(high);
  EXPECT_EQ(one.grant(), std::vector{high.id});
  one.give_back(high.id);
  EXPECT_EQ(one.grant(), std::vector{low.id});
}

TEST(budget_queue, knows_only_budgets_of_which_bytes_are_taken_or_wanted) {
  budget_queue all;
  const auto takes = [&](std::uint64_t budget, std::uint64_t task, std::uint64_t bytes) {
    all.announce(budget_id{budget}, 10, task_id{task}, 0, bytes);
    all.ready(budget_id{budget}, task_id{task});
    return all.grant() == std::vector{task_id{task}};
  };
  EXPECT_TRUE(takes(0, 1, 10));
  EXPECT_TRUE(takes(1, 2, 0));
  EXPECT_EQ(all.budgets_in_use(), 1U) << "nothing is taken of the second";
  EXPECT_FALSE(takes(0, 3, 6));
  all.withdraw(task_id{3});
  EXPECT_TRUE(all.grant().empty());
  EXPECT_EQ(all.budgets_in_use(), 1U);
  all.give_back(task_id{1});
  EXPECT_TRUE(all.grant().empty());
  EXPECT_EQ(all.budgets_in_use(), 0U);
  EXPECT_TRUE(takes(0, 4, 10)) << "it has all of its bytes again";
  all.announce(budget_id{2}, 10, task_id{5}, 0, 4);
  all.give_back(task_id{5});  // which has not taken them as yet
  all.ready(budget_id{2}, task_id{5});
  EXPECT_EQ(all.grant(), std::vector{task_id{5}});
  EXPECT_EQ(all.budgets_in_use(), 1U) << "those that the fourth task has taken";
}

TEST(throttle, the_next_in_line_has_its_turn_when_the_first_has_started) {
  throttle one(2);
  const throttle_request old{.id = task_id{5}, .age = 0, .in_order = true, .budget = {}};
  const throttle_request young{.id = task_id{4}, .age = 1, .in_order = true, .budget = {}};
  const throttle_request other{
      .id = task_id{3}, .age = 2, .in_order = true, .line = 1, .budget = {}};
  for (const throttle_request& r : {old, young, other}) one.announce(r);
  EXPECT_TRUE(one.has_turn(old));
  EXPECT_FALSE(one.has_turn(young));
  EXPECT_TRUE(one.has_turn(other)) << "it stands in another line";
  EXPECT_TRUE(one.leave_line(old));
  EXPECT_FALSE(one.leave_line(old));
  EXPECT_TRUE(one.has_turn(young));
}

}  // namespace
}  // namespace hocket::detail
