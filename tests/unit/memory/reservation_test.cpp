// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <algorithm>
#include <deque>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/memory/reservation.hpp>

namespace hocket {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr memory_id a{0};
constexpr memory_id b{1};
constexpr task_id first{1};
constexpr task_id second{2};
constexpr task_id third{3};

TEST(reservation, grants_what_fits) {
  reservation_ledger ledger({100, 50});
  ledger.request(first, 0, {{a, 60}, {b, 50}});
  EXPECT_THAT(ledger.grant(), ElementsAre(first));
  EXPECT_EQ(ledger.used(a), 60U);
  EXPECT_EQ(ledger.used(b), 50U);
  EXPECT_EQ(ledger.capacity(a), 100U);
  EXPECT_EQ(ledger.waiting(), 0U);
  EXPECT_THAT(ledger.grant(), IsEmpty());
}

TEST(reservation, is_all_or_nothing) {
  reservation_ledger ledger({100, 50});
  ledger.take(b, 1);
  ledger.request(first, 0, {{a, 60}, {b, 50}});
  EXPECT_THAT(ledger.grant(), IsEmpty());
  EXPECT_EQ(ledger.used(a), 0U);
  EXPECT_EQ(ledger.shortage(a), 0U);
  EXPECT_EQ(ledger.shortage(b), 1U);
  ledger.give_back(b, 1);
  EXPECT_THAT(ledger.grant(), ElementsAre(first));
}

TEST(reservation, goes_by_priority_then_age) {
  reservation_ledger ledger({100});
  ledger.request(first, 0, {{a, 10}});
  ledger.request(second, 5, {{a, 10}});
  ledger.request(third, 0, {{a, 10}});
  EXPECT_THAT(ledger.grant(), ElementsAre(second, first, third));
}

TEST(reservation, a_waiting_request_keeps_its_memories_from_later_ones) {
  reservation_ledger ledger({100, 100});
  ledger.take(a, 50);
  ledger.request(first, 0, {{a, 60}, {b, 10}});
  ledger.request(second, 0, {{a, 10}});
  ledger.request(third, 0, {{b, 10}});
  EXPECT_THAT(ledger.grant(), IsEmpty());
  EXPECT_EQ(ledger.shortage(a), 10U);
  ledger.withdraw(first);
  EXPECT_THAT(ledger.grant(), ElementsAre(second, third));
}

TEST(reservation, memories_that_nobody_waits_for_are_free) {
  reservation_ledger ledger({100, 100});
  ledger.take(a, 50);
  ledger.request(first, 9, {{a, 60}});
  ledger.request(second, 0, {{b, 100}});
  EXPECT_THAT(ledger.grant(), ElementsAre(second));
  EXPECT_EQ(ledger.waiting(), 1U);
}

TEST(reservation, one_memory_asked_twice_counts_twice) {
  reservation_ledger ledger({100});
  EXPECT_TRUE(ledger.could_ever_fit({{a, 60}, {a, 40}}));
  EXPECT_FALSE(ledger.could_ever_fit({{a, 60}, {a, 41}}));
  EXPECT_FALSE(ledger.could_ever_fit({{a, ~std::uint64_t{0}}, {a, 2}}));
  ledger.request(first, 0, {{a, 60}, {a, 40}});
  EXPECT_THAT(ledger.grant(), ElementsAre(first));
  EXPECT_EQ(ledger.used(a), 100U);
}

TEST(reservation, a_replaced_request_keeps_its_age) {
  reservation_ledger ledger({100});
  ledger.request(first, 0, {{a, 10}});
  ledger.request(second, 0, {{a, 10}});
  ledger.request(first, 0, {{a, 20}});
  EXPECT_THAT(ledger.grant(), ElementsAre(first, second));
  EXPECT_EQ(ledger.used(a), 30U);
}

TEST(reservation, asking_for_nothing_is_granted) {
  reservation_ledger ledger({0});
  ledger.request(first, 0, {});
  ledger.request(second, 0, {{a, 0}});
  EXPECT_THAT(ledger.grant(), ElementsAre(first, second));
}

TEST(reservation, use_beyond_the_capacity_is_lacking) {
  reservation_ledger ledger({100});
  ledger.take(a, 130);
  EXPECT_EQ(ledger.shortage(a), 0U);
  ledger.request(first, 0, {{a, 10}});
  EXPECT_THAT(ledger.grant(), IsEmpty());
  EXPECT_EQ(ledger.shortage(a), 40U);
}

TEST(reservation, a_low_priority_is_overtaken_a_bounded_number_of_times) {
  for (const std::int64_t gap : {std::int64_t{1}, std::int64_t{100}, std::int64_t{1} << 62}) {
    reservation_ledger ledger({100});
    ledger.take(a, 100);
    ledger.request(first, -gap / 2, {{a, 100}});
    std::uint64_t overtaken = 0;
    for (std::uint64_t n = 0; n < 200; ++n) {
      ledger.request(task_id{10 + n}, gap - gap / 2, {{a, 100}});
      ledger.give_back(a, 100);
      const auto granted = ledger.grant();
      ASSERT_EQ(granted.size(), 1U);
      if (granted[0] == first) break;
      ++overtaken;
    }
    EXPECT_LE(overtaken, 64U);
    EXPECT_GE(overtaken, gap > 1 ? 4U : 1U);
  }
}

TEST(reservation, being_passed_in_another_memory_does_not_age) {
  reservation_ledger ledger({100, 100});
  ledger.take(a, 100);
  ledger.request(first, 0, {{a, 100}});
  for (std::uint64_t n = 0; n < 20; ++n) {
    ledger.request(task_id{10 + n}, 1, {{b, 1}});
    EXPECT_EQ(ledger.grant().size(), 1U);
  }
  ledger.request(second, 1, {{a, 100}});
  ledger.give_back(a, 100);
  EXPECT_THAT(ledger.grant(), ElementsAre(second));
}

TEST(reservation, who_came_later_does_not_age) {
  reservation_ledger ledger({10});
  ledger.request(first, 0, {{a, 10}});
  ledger.request(second, 0, {{a, 10}});
  EXPECT_THAT(ledger.grant(), ElementsAre(first));
  ledger.request(third, 1, {{a, 10}});
  ledger.give_back(a, 10);
  EXPECT_THAT(ledger.grant(), ElementsAre(third));
}

TEST(reservation, every_request_is_granted_and_no_memory_overflows) {
  std::mt19937_64 random(1);
  reservation_ledger ledger({100, 200, 300});
  std::vector<std::vector<need>> needs;
  std::deque<std::uint64_t> running;
  std::vector<bool> granted;
  const auto grant = [&] {
    for (const task_id task : ledger.grant()) {
      EXPECT_FALSE(granted[task.value]);
      granted[task.value] = true;
      running.push_back(task.value);
    }
    for (std::uint64_t m = 0; m < 3; ++m) {
      EXPECT_LE(ledger.used(memory_id{m}), ledger.capacity(memory_id{m}));
    }
  };
  const auto end_one = [&] {
    for (const need& n : needs[running.front()]) ledger.give_back(n.memory, n.bytes);
    running.pop_front();
  };
  for (std::uint64_t task = 0; task < 3000; ++task) {
    std::vector<need> wanted;
    for (std::uint64_t m = 0; m < 3; ++m) {
      if (random() % 2 == 0) wanted.push_back({memory_id{m}, 1 + random() % (100 * (m + 1))});
    }
    needs.push_back(wanted);
    granted.push_back(false);
    ledger.request(task_id{task}, static_cast<std::int64_t>(random() % 5), wanted);
    grant();
    while (ledger.waiting() > 20) {
      ASSERT_FALSE(running.empty()) << "all wait and nothing runs";
      end_one();
      grant();
    }
  }
  while (!running.empty()) {
    end_one();
    grant();
  }
  EXPECT_EQ(ledger.waiting(), 0U);
  EXPECT_TRUE(std::all_of(granted.begin(), granted.end(), [](bool g) { return g; }));
  for (std::uint64_t m = 0; m < 3; ++m) EXPECT_EQ(ledger.used(memory_id{m}), 0U);
}

TEST(reservation, bytes_that_together_wrap_are_in_use_all_the_same) {
  constexpr std::uint64_t half = std::uint64_t{1} << 63U;
  constexpr memory_id memory{0};
  reservation_ledger ledger({1000});
  // Views take what nobody has granted.
  ledger.take(memory, half);
  ledger.take(memory, half);
  ledger.take(memory, 10);
  EXPECT_EQ(ledger.used(memory), ~std::uint64_t{0});
  ledger.request(task_id{1}, 0, {{memory, 100}});
  EXPECT_TRUE(ledger.grant().empty());
  EXPECT_EQ(ledger.shortage(memory), ~std::uint64_t{0} - 1000);
  ledger.give_back(memory, half);
  EXPECT_EQ(ledger.used(memory), half + 10);
  EXPECT_TRUE(ledger.grant().empty());
  ledger.give_back(memory, half);
  EXPECT_EQ(ledger.used(memory), 10U);
  EXPECT_EQ(ledger.grant(), std::vector<task_id>{task_id{1}});
  EXPECT_EQ(ledger.used(memory), 110U);
}

}  // namespace
}  // namespace hocket
