// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include "program.hpp"

namespace main_job {

namespace {

class Bits : public testing::Test {
 protected:
  [[nodiscard]] std::string hash(const arguments& more) const {
    return std::string(report_of(job_ + more).at("weights_hash").as_string());
  }

  scratch_folder folder_;
  arguments job_ = small_job(folder_);
};

TEST_F(Bits, TheSameSeedGivesTheSameReport) {
  boost::json::object first = report_of(job_), second = report_of(job_);
  first.erase("seconds");
  second.erase("seconds");
  EXPECT_EQ(first, second);
}

TEST_F(Bits, AnotherSeedGivesOthers) { EXPECT_NE(hash({"--seed", "1"}), hash({"--seed", "2"})); }

TEST_F(Bits, EverySchedule) {
  const std::string expected = hash({"--schedule", "none"});
  EXPECT_EQ(hash({"--schedule", "gpipe"}), expected);
  EXPECT_EQ(hash({"--schedule", "1f1b"}), expected);
}

TEST_F(Bits, EveryScheduleOnTheRealClock) {
  const std::string expected = hash({});
  for (const char* schedule : {"none", "gpipe", "1f1b"}) {
    for (int repetition = 0; repetition < 5; ++repetition) {
      EXPECT_EQ(hash({"--clock", "real", "--schedule", schedule}), expected) << schedule;
    }
  }
}

TEST_F(Bits, EveryPlaceOfTheStages) {
  const std::string expected = hash({});
  EXPECT_EQ(hash({"--devices", "NUMA0"}), expected);
  EXPECT_EQ(hash({"--devices", "Sim1,NUMA0"}), expected);
  EXPECT_EQ(hash({"--devices", "Sim0,Sim1,NUMA0"}), expected);
  EXPECT_EQ(hash({"--stages", "2"}), expected);
}

}  // namespace

}  // namespace main_job
