// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include <hocket/core/sanitizers.hpp>
#include <hocket/hocket.hpp>

#include "surroundings.hpp"

namespace hocket::testing {

namespace {

/// The program with all drivers of the machine.
outcome end_program(const std::string& how) {
  const temporary_folder folder;
  const std::string said = (folder.path() / "said").string();
  // What the drivers have made is left to the end of the process.
  const std::string line =
      "ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0\" timeout -s USR1 -k 10 60 '" STATIC_RUNTIME
      "' " +
      how + " >" + said + " 2>&1";
  const int status = std::system(line.c_str());
  std::ifstream in(said);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          {std::istreambuf_iterator<char>(in), {}}};
}

class end_of_program : public ::testing::TestWithParam<const char*> {};

// Drivers have static objects of their own, which are destroyed before a static runtime is.
TEST_P(end_of_program, is_clean_whatever_drivers_are_loaded) {
  const outcome ended = end_program(GetParam());
  EXPECT_EQ(ended.exit_code, 0) << ended.said;
  EXPECT_THAT(ended.said, ::testing::HasSubstr("main ends"));
  EXPECT_THAT(ended.said, ::testing::Not(::testing::HasSubstr("hocket: ")));
  runtime rt;
  for (const device_info& each : rt.devices()) {
    EXPECT_THAT(ended.said, ::testing::HasSubstr(each.name + ": 4\n"));
  }
}

std::vector<const char*> ways_to_end() {
#ifdef HOCKET_THREAD_SANITIZER
  // lavapipe joins its threads when the process ends. In a forked child, which has none of them,
  // the C library returns at once; ThreadSanitizer waits for ever.
  return {"used", "pending", "late", "kept", "stuck"};
#else
  return {"used", "pending", "late", "kept", "stuck", "forked"};
#endif
}

INSTANTIATE_TEST_SUITE_P(, end_of_program, ::testing::ValuesIn(ways_to_end()),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace

}  // namespace hocket::testing
