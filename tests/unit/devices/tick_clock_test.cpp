// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/tick_clock.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace hocket {

namespace {

constexpr auto ns = [](std::int64_t count) { return time_stamp(count); };

/// The device's counter is at 1000 when the host's clock is at 5000, and ticks each 10 ns.
tick_reading reading(std::int64_t host, std::int64_t slack) {
  const auto ticks = static_cast<std::uint64_t>(1000 + (host - 5000) / 10);
  return {ticks, ns(host - slack), ns(host + slack)};
}

}  // namespace

TEST(tick_clock, goes_by_the_shortest_reading) {
  const std::vector<tick_reading> all{reading(6000, 400), reading(7000, 20), reading(8000, 300)};
  const auto clock = tick_clock::fit(all, 64, 10);
  ASSERT_TRUE(clock);
  EXPECT_EQ(clock->at(1000), ns(5000));
  EXPECT_EQ(clock->at(900), ns(4000)) << "before the reading";
  EXPECT_EQ(clock->at(2000), ns(15000));
}

TEST(tick_clock, is_measured_by_some_readings) {
  std::int64_t host = 5000;
  const auto read = [&] { return std::optional(reading(host += 1000, 20)); };
  const auto clock = tick_clock::measure(read, 64, 10);
  ASSERT_TRUE(clock);
  EXPECT_EQ(clock->at(2000), ns(15000));
  EXPECT_GT(host, 6000) << "one reading tells nothing of how the counter runs";
  const auto stops = [&] { return host > 12'000 ? std::nullopt : read(); };
  EXPECT_FALSE(tick_clock::measure(stops, 64, 10));
}

TEST(tick_clock, counters_wrap) {
  const auto clock = tick_clock::fit(std::vector{tick_reading{250, ns(0), ns(0)}}, 8, 1);
  ASSERT_TRUE(clock);
  EXPECT_EQ(clock->at(4), ns(10));
  EXPECT_EQ(clock->at(240), ns(-10));
}

TEST(tick_clock, a_counter_that_runs_otherwise_is_none) {
  const auto at = [](std::uint64_t ticks, std::int64_t host) {
    return tick_reading{ticks, ns(host), ns(host + 10)};
  };
  const std::vector<tick_reading> stands{at(5, 0), at(5, 1'000'000)};
  EXPECT_FALSE(tick_clock::fit(stands, 64, 1));
  const std::vector<tick_reading> twice{at(5, 0), at(2'000'005, 1'000'000)};
  EXPECT_FALSE(tick_clock::fit(twice, 64, 1));
  EXPECT_TRUE(tick_clock::fit(twice, 64, 0.5));
  EXPECT_FALSE(tick_clock::fit(stands, 0, 1)) << "it has no bits";
  EXPECT_FALSE(tick_clock::fit(stands, 64, 0)) << "a tick takes no time";
  EXPECT_FALSE(tick_clock::fit({}, 64, 1));
}

}  // namespace hocket
