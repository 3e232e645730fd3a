// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The exit codes of `hocket` where standard streams are closed or full.

#include <gtest/gtest.h>

#include <string>

#include "child_program.hpp"

namespace streams_test {

using hocket::testing::arguments;
using hocket::testing::run_redirected;
using hocket::testing::scratch_folder;
using hocket::testing::operator+;

namespace {

constexpr int failed = 1, wrong_use = 2, not_found = 127;

int end_of(const arguments& options, const std::string& redirections) {
  return run_redirected(HOCKET, options, redirections).exit_code;
}

TEST(StandardStreams, AMessageThatIsLostLeavesTheExitCode) {
  const scratch_folder empty;
  const arguments top{"XDG_RUNTIME_DIR=" + empty / "", HOCKET, "top", "--once"};
  for (const char* lost : {"2>/dev/full", "2>&-"}) {
    EXPECT_EQ(end_of({"--no-such-option"}, lost), wrong_use);
    EXPECT_EQ(end_of({"simulate", "laptop-igpu", empty / "program"}, lost), not_found);
    EXPECT_EQ(run_redirected("/usr/bin/env", top, lost).exit_code, failed);
    EXPECT_EQ(end_of({"--version"}, lost), 0);
  }
}

TEST(StandardStreams, OutputThatIsLostIsAFailure) {
  for (const char* lost : {">/dev/full", ">&-", "<&- >&- 2>&-"}) {
    for (const char* command : {"devices", "doctor", "--help", "--version"}) {
      EXPECT_EQ(end_of({command}, lost), failed) << command << lost;
    }
  }
  EXPECT_EQ(end_of({"--no-such-option"}, "<&- >&- 2>&-"), wrong_use);
}

TEST(StandardStreams, StayClosedForAProgramThatIsSimulated) {
  const arguments shell{"/bin/sh", "-c", "test ! -e /proc/self/fd/1 && test -e /proc/self/fd/2"};
  EXPECT_EQ(end_of(arguments{"simulate", "laptop-igpu"} + shell, ">&-"), 0);
}

}  // namespace

}  // namespace streams_test
