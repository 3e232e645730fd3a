// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Messages and exit codes of the small examples where they cannot do their work.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "child_program.hpp"

namespace endings_test {

using hocket::testing::arguments;
using hocket::testing::outcome;
using hocket::testing::run_redirected;
using hocket::testing::running;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace {

const arguments small_programs = {SMALL_PROGRAMS};

std::string name_of(const std::string& program) {
  return std::filesystem::path(program).filename();
}

TEST(SmallPrograms, EndWith2ForWrongUse) {
  for (const std::string& program : small_programs) {
    const arguments line{"HOCKET_POLICY=no\x1bpolicy", program};
    const outcome ended = running("/usr/bin/env", line).end();
    EXPECT_EQ(ended.exit_code, 2) << program;
    EXPECT_THAT(ended.err, StartsWith(name_of(program) + ": HOCKET_POLICY is \"no?policy\"; "));
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  }
}

TEST(SmallPrograms, EndWith1WhereTheirOutputIsLost) {
  for (const std::string& program : small_programs) {
    const outcome ended = run_redirected(program, {}, ">/dev/full");
    EXPECT_EQ(ended.exit_code, 1) << program;
    EXPECT_THAT(ended.err,  // the library tells of injected faults
                HasSubstr(name_of(program) + ": Standard output cannot be written: No space left"));
  }
}

}  // namespace

}  // namespace endings_test
