// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <limits>
#include <stdexcept>

#include <hocket/core/error.hpp>

#include "common/ending.hpp"
#include "files.hpp"
#include "fixtures.hpp"
#include "progress.hpp"
#include "report.hpp"

namespace train {
namespace {

using std::chrono::milliseconds;
using test::message_of;
using test::temporary_folder;
using testing::HasSubstr;

/// Progress on a made-up terminal at a made-up time.
class Progress : public testing::Test {
 protected:
  progress_view view(bool bar) {
    progress_view result;
    result.bar = bar;
    result.width = [this] { return width_; };
    result.write = [this](std::string_view text) { written_.emplace_back(text); };
    result.now = [this] { return std::chrono::nanoseconds(now_); };
    return result;
  }

  static progress_state at(std::size_t epoch, std::size_t images) {
    return {epoch, 3, images, 1000, 0.25};
  }

  std::size_t width_ = 80;
  milliseconds now_{0};
  std::vector<std::string> written_;
};

TEST_F(Progress, TheBarIsDrawnAtMostTenTimesASecond) {
  progress shown(view(true));
  for (std::size_t images = 0; images < 1000; ++images) {
    now_ += milliseconds(1);
    shown.update(at(0, images));
  }
  EXPECT_EQ(written_.size(), 10U);
}

TEST_F(Progress, TheBarShowsLossSpeedAndRemainingTime) {
  progress shown(view(true));
  now_ = milliseconds(500);
  shown.update(at(0, 500));
  ASSERT_EQ(written_.size(), 1U);
  EXPECT_EQ(written_[0],
            "\r\x1b[K"
            "epoch 1/3 [===========            ]  50%  loss 0.2500  1000 images/s  ETA 00:03");
}

TEST_F(Progress, TheBarFitsIntoEveryTerminal) {
  for (std::size_t width = 0; width < 200; ++width) {
    for (const std::size_t images : {0U, 1U, 500U, 999U, 1000U, 2000U}) {
      const std::string line = draw_bar(at(0, images), 1234, 56, width, false);
      EXPECT_LE(line.size(), width);
      EXPECT_EQ(line.find('\n'), std::string::npos);
    }
  }
}

TEST_F(Progress, ColoursOnlyWhereTheyAreWanted) {
  EXPECT_EQ(draw_bar(at(0, 500), 1, 1, 80, false).find('\x1b'), std::string::npos);
  EXPECT_NE(draw_bar(at(0, 500), 1, 1, 80, true).find("\x1b[32m"), std::string::npos);
}

TEST_F(Progress, RemainingTimesOfAllSizes) {
  EXPECT_THAT(draw_bar(at(0, 1), 1, 3725, 200, false), HasSubstr("ETA 1:02:05"));
  EXPECT_THAT(draw_bar(at(0, 1), 1, std::numeric_limits<double>::infinity(), 200, false),
              HasSubstr("ETA --:--"));
  EXPECT_THAT(draw_bar(at(0, 1), 1, std::numeric_limits<double>::quiet_NaN(), 200, false),
              HasSubstr("ETA --:--"));
}

TEST_F(Progress, WithoutATerminalThereIsALineForEachEpoch) {
  progress shown(view(false));
  for (std::size_t epoch = 0; epoch < 3; ++epoch) {
    now_ += milliseconds(2000);
    shown.update(at(epoch, 500));
    shown.end_epoch(at(epoch, 1000));
  }
  ASSERT_EQ(written_.size(), 3U);
  EXPECT_EQ(written_[1], "epoch 2/3  loss 0.2500  500 images/s  2.0 s\n");
}

TEST_F(Progress, TheBarGoesWhenTheEpochOrTheProgressEnds) {
  {
    progress shown(view(true));
    shown.update(at(0, 10));
    shown.end_epoch(at(0, 1000));
    ASSERT_EQ(written_.size(), 3U);
    EXPECT_EQ(written_[1], "\r\x1b[K");
    EXPECT_THAT(written_[2], HasSubstr("epoch 1/3"));
    shown.update(at(1, 10));
  }
  EXPECT_EQ(written_.back(), "\r\x1b[K");
}

TEST_F(Progress, QuietIsQuiet) {
  progress_view silent = view(true);
  silent.silent = true;
  progress shown(silent);
  shown.update(at(0, 10));
  shown.end_epoch(at(0, 1000));
  EXPECT_TRUE(written_.empty());
}

run_report example() {
  run_report report;
  report.test_accuracy = 0.975;
  report.seconds = 12.5;
  report.bubble = 0.2;
  report.bubble_theory = 0.1875;
  report.epochs = 2;
  report.loss = {0.5, std::numeric_limits<double>::quiet_NaN()};
  report.seed = 18446744073709551615U;
  report.schedule = "1f1b";
  report.clock = "virtual";
  report.dataset = "MNIST";
  report.devices = {{"NUMA0", "cpu", 100, 0.8, 2048, 5000000, 77, 0.6},
                    {"Sim0", "sim", 50, 0.4, 0, 1, 2, 0.4}};
  return report;
}

TEST(Report, JsonHasWhatProgramsLookFor) {
  const std::string text = to_json(example());
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  const boost::json::object all = boost::json::parse(text).as_object();
  EXPECT_EQ(all.at("test_accuracy"), 0.975);
  EXPECT_EQ(all.at("seconds"), 12.5);
  EXPECT_EQ(all.at("bubble"), 0.2);
  EXPECT_EQ(all.at("bubble_theory"), 0.1875);
  EXPECT_EQ(all.at("epochs").to_number<int>(), 2);
  EXPECT_EQ(all.at("seed").as_uint64(), 18446744073709551615U);
  EXPECT_EQ(all.at("schedule"), "1f1b");
  EXPECT_EQ(all.at("clock"), "virtual");
  EXPECT_EQ(all.at("dataset"), "MNIST");
  EXPECT_EQ(all.at("loss").at(0), 0.5);
  EXPECT_TRUE(all.at("loss").at(1).is_null());
  ASSERT_EQ(all.at("devices").as_array().size(), 2U);
  const boost::json::object device = all.at("devices").at(0).as_object();
  EXPECT_EQ(device.at("name"), "NUMA0");
  EXPECT_EQ(device.at("kind"), "cpu");
  EXPECT_EQ(device.at("kernels").to_number<int>(), 100);
  EXPECT_EQ(device.at("busy"), 0.8);
  EXPECT_EQ(device.at("bytes_in").to_number<int>(), 2048);
  EXPECT_EQ(device.at("bytes_out").to_number<int>(), 5000000);
  EXPECT_EQ(device.at("peak_bytes").to_number<int>(), 77);
  EXPECT_EQ(device.at("flops_share"), 0.6);
}

TEST(Report, TableHasWhatPeopleLookFor) {
  const std::string table = to_table(example());
  for (const std::string part : {"97.50 %", "12.50 s", "20.00 %", "18.75 %", "NUMA0", "Sim0",
                                 "80.0 %", "2.0 KiB", "4.8 MiB", "60.0 %", "1f1b"}) {
    EXPECT_THAT(table, HasSubstr(part));
  }
}

TEST(Report, GoesToAFileOrAloneToStandardOutput) {
  temporary_folder folder;
  testing::internal::CaptureStdout();
  publish(example(), folder / "report.json");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), to_table(example()));
  EXPECT_EQ(test::content_of(folder / "report.json"), to_json(example()));
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  publish(example(), "-");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), to_json(example()));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), to_table(example()));
}

TEST(WriteFile, AFullDiskIsAnError) {
  const std::string message = message_of([] { write_file("/dev/full", "text"); });
  EXPECT_EQ(message, "The file \"/dev/full\" could not be written: No space left on device.");
  const std::string large(std::size_t{1} << 20, 'x');
  EXPECT_THAT(message_of([&] { write_file("/dev/full", large); }), HasSubstr("No space left"));
}

TEST(WriteFile, AFolderThatIsNotThereIsAnError) {
  temporary_folder folder;
  EXPECT_THAT(message_of([&] { write_file(folder / "no/file", "text"); }),
              HasSubstr("No such file or directory"));
}

TEST(Ending, FollowsWhatWasThrown) {
  const auto of = [](auto problem) {
    return examples::ending_of("train_digits", std::make_exception_ptr(problem), false);
  };
  const examples::ending wrong = of(hocket::usage_error("--seed is \"banana\"."));
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_EQ(wrong.message, "train_digits: --seed is \"banana\".");
  const hocket::error failed(hocket::failure(hocket::failure_code::io, "A disk\nis full."));
  EXPECT_EQ(of(failed).exit_code, 1);
  EXPECT_EQ(of(failed).message, "train_digits: A disk is full.");
  EXPECT_EQ(of(std::runtime_error("a\x1b[1mb")).message, "train_digits: a?[1mb");
  EXPECT_EQ(of(std::runtime_error("x")).exit_code, 1);
  EXPECT_EQ(of(std::bad_alloc()).exit_code, 1);
  EXPECT_EQ(of(7).exit_code, 1);
  const std::exception_ptr thrown = std::make_exception_ptr(failed);
  EXPECT_EQ(examples::ending_of("train_digits", thrown, true).exit_code, 130);
}

}  // namespace
}  // namespace train
