// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/driver_failure.hpp>

#include <gtest/gtest.h>

#include <array>

namespace hocket {

TEST(driver_failure, codes_have_their_name_number_and_meaning) {
  constexpr std::array names{driver_code{-5, "OUT_OF_LUCK", failure_code::device_lost},
                             driver_code{2, "NOT_YET"}};
  EXPECT_EQ(text_of(names, -5), "OUT_OF_LUCK (-5)");
  EXPECT_EQ(text_of(names, 2), "NOT_YET (2)");
  EXPECT_EQ(text_of(names, 7), "code 7");
  EXPECT_EQ(meaning_of(names, -5, failure_code::internal), failure_code::device_lost);
  EXPECT_EQ(meaning_of(names, 7, failure_code::task_failed), failure_code::task_failed);
}

TEST(driver_failure, sentences_name_the_device_and_what_the_driver_says) {
  const failure lost =
      driver_failure(failure_code::device_lost, "X0", "cannot begin a launch", "OUT_OF_LUCK (-5)");
  EXPECT_EQ(lost.code(), failure_code::device_lost);
  EXPECT_EQ(lost.message(),
            "Device \"X0\" cannot begin a launch: its driver says OUT_OF_LUCK (-5).");
  EXPECT_EQ(no_memory("X0", 12, "it is full.").message(),
            "Device \"X0\" has no memory for 12 bytes: it is full.");
}

TEST(driver_failure, of_what_a_compiler_says_the_first_lines_are_kept) {
  std::string log;
  for (int line = 0; line < 20; ++line) log += "line " + std::to_string(line) + "\n";
  const failure refused = compile_failure("X0", "axpy", log);
  EXPECT_EQ(refused.code(), failure_code::compile_failed);
  EXPECT_NE(refused.message().find("line 7"), std::string::npos);
  EXPECT_EQ(refused.message().find("line 8"), std::string::npos);
  EXPECT_LT(compile_failure("X0", "axpy", std::string(5000, 'x')).message().size(), 1200U);
  EXPECT_EQ(compile_failure("X0", "axpy", "no").message(),
            "Kernel \"axpy\" does not compile for device \"X0\": no");
}

TEST(driver_failure, what_a_compiler_says_is_in_one_line) {
  const std::string begin = "Kernel \"axpy\" does not compile for device \"X0\": ";
  EXPECT_EQ(compile_failure("X0", "axpy", "BUILD (-11): \r\n\n  one\ttwo\x1b[0m \nend\n").message(),
            begin + "BUILD (-11): one?two?[0m; end");
  EXPECT_EQ(compile_failure("X0", "axpy", "failed\n").message(), begin + "failed");
  EXPECT_EQ(compile_failure("X0", "axpy", " \n\n").message(), begin);
}

}  // namespace hocket
