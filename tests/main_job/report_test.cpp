// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace main_job {

namespace {

using testing::HasSubstr;

double number(const boost::json::object& from, const char* key) {
  return from.at(key).to_number<double>();
}

TEST(Report, HasTheDevicesAndTheirShares) {
  const scratch_folder folder;
  const boost::json::object report = report_of(small_job(folder));
  EXPECT_GE(number(report, "test_accuracy"), 0.95);
  EXPECT_GT(number(report, "seconds"), 0);
  const boost::json::array& devices = report.at("devices").as_array();
  ASSERT_EQ(devices.size(), 3U);
  for (const auto& each : devices) {
    const boost::json::object& device = each.as_object();
    EXPECT_EQ(device.at("kind"), device.at("name") == "NUMA0" ? "cpu" : "sim");
    EXPECT_GT(number(device, "kernels"), 0);
    EXPECT_GT(number(device, "busy"), 0);
    EXPECT_LE(number(device, "busy"), 1);
    EXPECT_GT(number(device, "bytes_in"), 0);
    EXPECT_GT(number(device, "bytes_out"), 0);
    EXPECT_GE(number(device, "flops_share"), 0.1);
  }
}

class Bubble : public testing::TestWithParam<const char*> {};

// Large enough that latencies are small beside the kernels.
TEST_P(Bubble, IsThatOfTheFormula) {
  const scratch_folder folder;
  const boost::json::object report =
      report_of(small_job(folder, {.hidden = "512,256,256", .batch = "256"}) +
                arguments{"--schedule", GetParam()});
  const double theory = number(report, "bubble_theory");
  EXPECT_NEAR(number(report, "bubble"), theory, 0.01 * theory);
}
INSTANTIATE_TEST_SUITE_P(EverySchedule, Bubble, testing::Values("none", "gpipe", "1f1b"),
                         [](const auto& each) { return "Of_" + std::string(each.param); });

TEST(Report, AloneOnStandardOutput) {
  const scratch_folder folder;
  const outcome ended = run(small_job(folder) + arguments{"--json", "-"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(boost::json::parse(ended.out).as_object().at("schedule"), "1f1b");
  EXPECT_THAT(ended.err, HasSubstr("test accuracy"));
}

TEST(Report, SaysWhatItDoesAndWith) {
  const scratch_folder folder;
  const outcome ended = run(small_job(folder) + arguments{"--schedule", "gpipe"});
  EXPECT_EQ(ended.exit_code, 0);
  for (const char* part : {"(from --data)", "64-48-48-48-48-10", "schedule gpipe", "virtual clock",
                           "20 GFLOP/s", "epoch 3/3"}) {
    EXPECT_THAT(ended.err, HasSubstr(part));
  }
  EXPECT_THAT(ended.out, HasSubstr("Sim1"));
}

}  // namespace

}  // namespace main_job
