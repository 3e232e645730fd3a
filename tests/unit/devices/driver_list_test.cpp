// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/driver_list.hpp>

#include <gtest/gtest.h>

namespace hocket {

namespace {

/// Lists 1, 2, ... and says at first that there are so many.
struct driver {
  std::uint32_t said = 0;
  std::uint32_t given = 0;
  int code = 0;
  std::uint32_t asked = 0;

  int operator()(std::uint32_t* count, int* to) {
    if (to == nullptr) {
      *count = said;
      return 0;
    }
    asked = *count;
    for (std::uint32_t i = 0; i < std::min(asked, given); ++i) to[i] = static_cast<int>(i) + 1;
    *count = given;
    return code;
  }
};

}  // namespace

TEST(driver_list, is_what_the_driver_gives) {
  std::vector<int> list;
  EXPECT_EQ(driver_list(list, 0, driver{3, 3}), 0);
  EXPECT_EQ(list, (std::vector{1, 2, 3}));
  EXPECT_EQ(driver_list(list, 0, driver{3, 2}), 0);
  EXPECT_EQ(list, (std::vector{1, 2})) << "one has gone since";
  EXPECT_EQ(driver_list(list, 0, driver{}), 0);
  EXPECT_TRUE(list.empty());
}

TEST(driver_list, of_a_driver_that_errs_is_cut) {
  std::vector<int> list;
  driver boasts{4'000'000'000U, 4'000'000'000U};
  EXPECT_EQ(driver_list(list, 0, std::ref(boasts)), 0);
  EXPECT_EQ(list.size(), 4096U);
  EXPECT_EQ(boasts.asked, 4096U);
  EXPECT_EQ(driver_list(list, 0, driver{3, 3, -5}), -5);
  EXPECT_TRUE(list.empty());
}

}  // namespace hocket
