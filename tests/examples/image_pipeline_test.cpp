// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "program.hpp"

namespace examples_test {

namespace {

const arguments small_stream = {"--frames",  "9",  "--rows",      "30",
                                "--columns", "41", "--in-flight", "2"};
constexpr double tasks_of_stream = 45;

TEST(ImagePipeline, IsRightOnTheHost) {
  const auto report = report_of(IMAGE_PIPELINE, small_stream + arguments{"--devices", "NUMA0"});
  EXPECT_TRUE(report.at("checked").as_bool());
  EXPECT_LE(report.at("most_in_flight").to_number<int>(), 2);
}

TEST(ImagePipeline, IsRightOnAllDevices) {
  const auto report = report_of(IMAGE_PIPELINE, small_stream);
  EXPECT_TRUE(report.at("checked").as_bool());
  EXPECT_LE(report.at("most_in_flight").to_number<int>(), 2);
  EXPECT_EQ(sum_over_devices(report, "tasks"), tasks_of_stream);
}

TEST(ImagePipeline, TakesTheSameTimeOnAMachineEachTime) {
  const arguments run = small_stream + arguments{"--machine", "mixed-vendors"};
  const auto report = report_of(IMAGE_PIPELINE, run);
  EXPECT_EQ(report, report_of(IMAGE_PIPELINE, run));
  EXPECT_EQ(sum_over_devices(report, "tasks"), tasks_of_stream);
}

TEST(ImagePipeline, WritesImages) {
  const scratch_folder folder;
  const std::string images = folder / "images";
  const auto report = report_of(IMAGE_PIPELINE, small_stream + arguments{"--output", images});
  const std::string header = "P5\n41 30\n255\n";
  for (const char* name : {"/frame_000000.pgm", "/frame_000008.pgm"}) {
    const std::string image = content_of(images + name);
    EXPECT_THAT(image, testing::StartsWith(header));
    EXPECT_EQ(image.size(), header.size() + 30 * 41);
  }
}

TEST(ImagePipeline, EndsBetweenFramesWhenItIsInterrupted) {
  const scratch_folder folder;
  running program(IMAGE_PIPELINE, {"--frames", "1000000", "--devices", "NUMA0", "--output",
                                   folder / "images", "--rows", "30", "--columns", "41"});
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (content_of(folder / "images/frame_000001.pgm").empty()) {
    ASSERT_LT(std::chrono::steady_clock::now(), limit);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  program.interrupt();
  const outcome ended = program.end();
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_EQ(ended.err, "image_pipeline: Interrupted.\n");
  EXPECT_THAT(ended.out, testing::HasSubstr(" frames of 41 x 30: "));
}

TEST(ImagePipeline, RefusesWrongUse) {
  constexpr int wrong_use = 2;
  expect_wrong_use_is_refused(IMAGE_PIPELINE, small_stream);
  expect_end(IMAGE_PIPELINE, {"--in-flight", "0"}, wrong_use, "--in-flight is \"0\"");
  expect_end(IMAGE_PIPELINE, {"--output", "/dev/null/x"}, 1, "/dev/null/x");
}

}  // namespace

}  // namespace examples_test
