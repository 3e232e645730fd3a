// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/core/text_file.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include <hocket/core/printable.hpp>

namespace hocket {
namespace {

TEST(text_file, is_read_up_to_a_limit) {
  const std::string path = ::testing::TempDir() + "hocket_text_file_test";
  const std::string text("a\0b\n", 4);
  std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(read_text_file(path, 4).value(), text);
  const result<std::string> longer = read_text_file(path, 3);
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().code(), failure_code::io);
  EXPECT_EQ(longer.error().message(), "it has 4 bytes; at most 3 can be read");
}

TEST(text_file, is_a_regular_file) {
  for (const char* const path : {"/", "/dev/zero", "/nowhere/at/all"}) {
    const result<std::string> none = read_text_file(path, 100);
    ASSERT_FALSE(none) << path;
    EXPECT_EQ(none.error().code(), failure_code::io) << path;
    EXPECT_NE(none.error().message(), "") << path;
  }
}

TEST(printable, keeps_letters_and_replaces_what_moves_the_cursor) {
  EXPECT_EQ(printable("gr\xc3\xb6\xc3\x9f"
                      "e\x1b[2J\n\x7f"),
            "gr\xc3\xb6\xc3\x9f"
            "e?[2J??");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "?");
  EXPECT_EQ(printable("abc", 3), "abc");
  EXPECT_EQ(printable("abcd", 3), "abc...");
  EXPECT_EQ(in_quotes("abcd", 3), "\"abc...\"");
}

}  // namespace
}  // namespace hocket
