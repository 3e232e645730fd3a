// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/device_clock.hpp>

#include <gtest/gtest.h>

namespace hocket {

namespace {

constexpr auto ns = [](std::int64_t count) { return time_stamp(count); };

}  // namespace

TEST(device_clock_test, a_device_that_does_not_tell_time_took_all_of_it) {
  device_clock clock;
  const std::pair all(ns(1000), ns(2000));
  EXPECT_EQ(clock.on_host(0, 0, ns(1000), ns(2000)), all);
  EXPECT_EQ(clock.on_host(700, 600, ns(1000), ns(2000)), all);
  EXPECT_EQ(clock.on_host(1, 5000, ns(1000), ns(2000)), all) << "longer than it can have been";
  EXPECT_EQ(clock.on_host(1, ~std::uint64_t{0}, ns(1000), ns(2000)), all);
}

TEST(device_clock_test, times_keep_their_length_and_lie_within_what_is_known) {
  device_clock clock;
  for (std::int64_t drift = 0; drift < 2000; drift += 7) {
    // The device's clock runs away from the host's, which is 5000 ahead at first.
    const std::int64_t begin = 10000 + 1000 * drift, end = begin + 300;
    const time_stamp handed = ns(begin + 4900 - drift), heard = ns(end + 5100 - drift);
    const auto [from, to] = clock.on_host(static_cast<std::uint64_t>(begin),
                                          static_cast<std::uint64_t>(end), handed, heard);
    EXPECT_EQ(to - from, ns(300));
    EXPECT_GE(from, handed);
    EXPECT_LE(to, heard);
  }
}

}  // namespace hocket
