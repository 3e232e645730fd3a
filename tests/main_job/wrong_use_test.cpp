// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "program.hpp"

namespace main_job {

namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr int wrong_use = 2;
constexpr int failed = 1;

class WrongUse : public testing::Test {
 protected:
  /// Expects that the run fails with one line on standard error.
  void expect(const arguments& more, int exit_code, const std::string& part) const {
    expect_of(job_, more, exit_code, part);
  }

  static void expect_of(const arguments& job, const arguments& more, int exit_code,
                        const std::string& part) {
    const outcome ended = run(job + arguments{"--quiet"} + more);
    EXPECT_EQ(ended.exit_code, exit_code) << ended.err;
    EXPECT_THAT(ended.err, StartsWith("train_digits: "));
    EXPECT_THAT(ended.err, HasSubstr(part));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }

  scratch_folder folder_;
  arguments job_ = small_job(folder_);
};

TEST_F(WrongUse, OfOptions) {
  expect({"--seed", "banana"}, wrong_use, "\"banana\"");
  expect({"--schedule", "zigzag"}, wrong_use, "none, gpipe, 1f1b");
  expect({"--no-such-option"}, wrong_use, "--help");
}

TEST_F(WrongUse, OfDevices) {
  expect({"--devices", "NUMA0,Sim7"}, wrong_use, "\"Sim7\"");
  expect({"--devices", "NUMA0,Sim7"}, wrong_use, "NUMA0, Sim0, Sim1");
  expect({"--devices", "NUMA0,NUMA0"}, wrong_use, "twice");
  expect({"--stages", "4"}, wrong_use, "1 to 3");
  expect_of(small_job(folder_, {.hidden = "8"}), {}, wrong_use, "3 stages");
}

TEST_F(WrongUse, OfData) {
  const scratch_folder empty;
  expect({"--data", empty / ""}, wrong_use, "digits");
  const std::string whole = content_of(folder_ / "digits.csv");
  std::ofstream(folder_ / "digits.csv") << whole.substr(0, whole.size() - 30);
  expect({}, failed, "digits.csv");
  std::ofstream(folder_ / "digits.csv") << "\x1f\x8b broken";
  expect({}, failed, "digits.csv");
}

// The results are not lost with the file.
TEST_F(WrongUse, AFullDisk) {
  for (const char* option : {"--trace", "--json"}) {
    expect({option, "/dev/full"}, failed, "\"/dev/full\"");
    expect({option, "/dev/full"}, failed, "No space left on device");
    EXPECT_THAT(run(job_ + arguments{option, "/dev/full"}).out, HasSubstr("test accuracy"));
  }
}

TEST_F(WrongUse, OfStandardStreams) {
  for (const char* lost : {"2>/dev/full", "2>&-"}) {
    const outcome trained = run_redirected(TRAIN_DIGITS, job_, lost);
    EXPECT_EQ(trained.exit_code, 0);
    EXPECT_THAT(trained.out, HasSubstr("test accuracy"));
    EXPECT_EQ(run_redirected(TRAIN_DIGITS, {"--no-such-option"}, lost).exit_code, wrong_use);
  }
  EXPECT_EQ(run_redirected(TRAIN_DIGITS, job_, "<&- >&- 2>&-").exit_code, failed);
  EXPECT_EQ(run_redirected(TRAIN_DIGITS, {"--help"}, ">/dev/full").exit_code, failed);
}

}  // namespace

}  // namespace main_job
