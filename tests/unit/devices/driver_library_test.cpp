// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/driver_library.hpp>

#include <gtest/gtest.h>

namespace hocket {

TEST(driver_library, has_functions_by_their_names) {
  const auto library = driver_library::open({"C", "libc.so.6", "libc6"});
  ASSERT_TRUE(library);
  using length = std::size_t (*)(const char*);
  const auto found = library.value().find<length>("strlen");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found("four"), 4U);
  EXPECT_EQ(library.value().find<length>("no_such_function"), nullptr);
  EXPECT_EQ(library.value().unusable("lacks x").message(),
            "The loader of C, libc.so.6, lacks x; Debian has it in the package libc6.");
}

TEST(driver_library, one_that_is_missing_says_what_to_install) {
  const auto library = driver_library::open({"X", "libno-such-api.so", "libx1"});
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().code(), failure_code::no_device);
  const std::string said = library.error().message();
  EXPECT_TRUE(said.starts_with("The loader of X, libno-such-api.so, cannot be opened ("));
  EXPECT_TRUE(said.ends_with("; Debian has it in the package libx1."));
}

}  // namespace hocket
