// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/core/valid_utf8.hpp>

#include <string>

#include <gtest/gtest.h>

namespace hocket {
namespace {

const std::string mark = "\xEF\xBF\xBD";

TEST(valid_utf8, keeps_what_is_valid) {
  for (const std::string& text :
       {std::string(), std::string("plain\n\x7f"), std::string("nul\0in", 6),
        std::string("\xC2\x80 \xDF\xBF"), std::string("\xE0\xA0\x80 \xED\x9F\xBF \xEF\xBF\xBF"),
        std::string("\xEE\x80\x80 \xF0\x90\x80\x80 \xF4\x8F\xBF\xBF")}) {
    EXPECT_EQ(valid_utf8(text), text);
  }
}

TEST(valid_utf8, replaces_each_byte_of_what_is_not) {
  EXPECT_EQ(valid_utf8("\xFF\xFE bad"), mark + mark + " bad");
  EXPECT_EQ(valid_utf8("cut \xE2\x82"), "cut " + mark + mark);
  EXPECT_EQ(valid_utf8("\xE2\x82x\xC3\xA4"), mark + mark + "x\xC3\xA4");
  EXPECT_EQ(valid_utf8("\x80"), mark);
  EXPECT_EQ(valid_utf8("\xC0\xAF"), mark + mark) << "a longer form than is needed";
  EXPECT_EQ(valid_utf8("\xE0\x9F\xBF"), mark + mark + mark) << "likewise";
  EXPECT_EQ(valid_utf8("\xF0\x8F\xBF\xBF"), mark + mark + mark + mark) << "likewise";
  EXPECT_EQ(valid_utf8("\xED\xA0\x80"), mark + mark + mark) << "a surrogate";
  EXPECT_EQ(valid_utf8("\xF4\x90\x80\x80"), mark + mark + mark + mark) << "beyond U+10FFFF";
  EXPECT_EQ(valid_utf8("\xF5"), mark);
}

}  // namespace
}  // namespace hocket
