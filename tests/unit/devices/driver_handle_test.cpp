// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/driver_handle.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace hocket {

namespace {

struct api {
  bool gone = false;
  mutable std::vector<int> released;
};
void release(const api& of, int object) { of.released.push_back(object); }
using handle = driver_handle<api, int, release>;

}  // namespace

TEST(driver_handle, gives_back_once) {
  api functions;
  {
    handle a(functions, 1);
    handle b(std::move(a));
    EXPECT_FALSE(a);
    EXPECT_EQ(b.get(), 1);
    b = handle(functions, 2);
    EXPECT_EQ(functions.released, std::vector{1});
    const handle none;
    EXPECT_FALSE(none);
  }
  EXPECT_EQ(functions.released, (std::vector{1, 2}));
}

TEST(driver_handle, gives_nothing_back_to_a_driver_that_has_ended) {
  api functions;
  {
    const handle a(functions, 1);
    functions.gone = true;
  }
  EXPECT_TRUE(functions.released.empty());
}

}  // namespace hocket
