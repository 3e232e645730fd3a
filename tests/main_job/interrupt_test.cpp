// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include "program.hpp"

namespace main_job {

namespace {

/// Asks a run that would last for minutes to end, so often.
void expect_end(const arguments& job, int requests) {
  running program(job);
  EXPECT_TRUE(program.says("epoch 2/"));
  for (int i = 0; i < requests; ++i) program.interrupt();
  const outcome ended = program.end();
  EXPECT_EQ(ended.exit_code, 130) << ended.err;
  EXPECT_EQ(ended.out, "");
  if (requests == 1) {
    EXPECT_TRUE(ended.err.ends_with("train_digits: Interrupted.\n")) << ended.err;
  }
}

const sizes endless{.epochs = "100000"};

TEST(Interrupt, EndsTheTrainingCleanly) {
  const scratch_folder folder;
  expect_end(small_job(folder, endless), 1);
  expect_end(small_job(folder, endless) + arguments{"--clock", "real"}, 1);
}

TEST(Interrupt, ASecondOneEndsItAtOnce) {
  const scratch_folder folder;
  expect_end(small_job(folder, endless), 2);
}

}  // namespace

}  // namespace main_job
