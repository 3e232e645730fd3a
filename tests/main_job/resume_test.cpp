// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "program.hpp"
#include "random.hpp"

namespace main_job {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int killed = 128 + 9;

class Resume : public testing::Test {
 protected:
  [[nodiscard]] arguments saving(const arguments& more = {}) const {
    return job_ + arguments{"--checkpoint", saved_, "--checkpoint-every", "1"} + more;
  }

  [[nodiscard]] std::string hash(const arguments& options) const {
    const std::string file = folder_ / "report.json";
    const outcome ended = run(options + arguments{"--quiet", "--json", file});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return std::string(boost::json::parse(content_of(file)).at("weights_hash").as_string());
  }

  /// The number of the newest checkpoint, or 0.
  [[nodiscard]] std::size_t newest() const {
    constexpr std::string_view prefix = "checkpoint-";
    std::size_t most = 0;
    std::error_code none;
    for (fs::directory_iterator at(saved_, none), end; !none && at != end; at.increment(none)) {
      const std::string name = at->path().filename().string();
      std::size_t number = 0;
      if (!name.starts_with(prefix) || name.ends_with(".new")) continue;
      (void)std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
      most = std::max(most, number);
    }
    return most;
  }

  /// Kills a run some time after it has made checkpoints, as many as given or more. Returns false
  /// if the run has ended by itself.
  [[nodiscard]] bool kills(const arguments& options, milliseconds later,
                           std::size_t checkpoints = 1) const {
    const std::size_t before = newest();
    running program(options);
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (newest() < before + checkpoints && std::chrono::steady_clock::now() < limit) {
      std::this_thread::sleep_for(milliseconds(1));
    }
    std::this_thread::sleep_for(later);
    const outcome ended = program.kill();
    EXPECT_TRUE(ended.exit_code == killed || ended.exit_code == 0) << ended.err;
    return ended.exit_code == killed;
  }

  void expect_same_bits_after_kills(const arguments& how, std::uint64_t seed) const {
    constexpr std::size_t most_kills = 6;
    constexpr std::uint32_t longest = 40;  // milliseconds
    fs::remove_all(saved_);
    const std::string expected = hash(job_ + how);
    const train::counter_random random(seed, 1);
    std::size_t kills_done = 0;
    while (kills_done < most_kills && kills(saving(how + arguments{"--resume"}),
                                            milliseconds(random.below(kills_done, longest)))) {
      ++kills_done;
    }
    EXPECT_GT(kills_done, 0U);
    EXPECT_EQ(hash(saving(how + arguments{"--resume"})), expected);
    // Nothing is left of what the killed processes were writing.
    for (const auto& each : fs::directory_iterator(saved_)) {
      EXPECT_NE(each.path().extension(), ".new");
    }
  }

  scratch_folder folder_;
  const std::string saved_ = folder_ / "saved";
  // Long enough that a run is killed well before its end.
  arguments job_ = small_job(folder_, {.epochs = "30"});
};

TEST_F(Resume, GivesTheSameBitsOnTheVirtualClock) {
  expect_same_bits_after_kills({"--schedule", "none"}, 1);
  expect_same_bits_after_kills({"--schedule", "gpipe"}, 2);
  expect_same_bits_after_kills({"--schedule", "1f1b"}, 3);
}

TEST_F(Resume, GivesTheSameBitsOnTheRealClock) {
  expect_same_bits_after_kills({"--clock", "real"}, 4);
  expect_same_bits_after_kills({"--clock", "real", "--devices", "NUMA0"}, 5);
}

TEST_F(Resume, GivesTheSameBitsOnOtherDevicesAndWithAnotherSchedule) {
  const std::string expected = hash(job_);
  ASSERT_TRUE(kills(saving(), milliseconds(5)));
  EXPECT_EQ(hash(saving({"--resume", "--devices", "Sim1,NUMA0", "--schedule", "gpipe"})), expected);
}

TEST_F(Resume, GivesTheSameReportOfTheEpochs) {
  boost::json::object whole = report_of(job_);
  ASSERT_TRUE(kills(saving(), milliseconds(5)));
  const std::string file = folder_ / "report.json";
  const outcome ended = run(saving({"--resume", "--quiet", "--json", file}));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  const auto resumed = boost::json::parse(content_of(file)).as_object();
  EXPECT_EQ(resumed.at("loss"), whole.at("loss"));
  EXPECT_EQ(resumed.at("test_accuracy"), whole.at("test_accuracy"));
}

TEST_F(Resume, AfterCtrlC) {
  const std::string expected = hash(job_);
  running program(saving());
  ASSERT_TRUE(program.says("epoch 2/"));
  program.interrupt();
  EXPECT_EQ(program.end().exit_code, 130);
  EXPECT_GT(newest(), 0U);
  EXPECT_FALSE(fs::exists(saved_ + "/checkpoint-" + std::to_string(newest() + 1) + ".new"));
  EXPECT_EQ(hash(saving({"--resume"})), expected);
}

TEST_F(Resume, PassesOverACheckpointThatIsDamaged) {
  const std::string expected = hash(job_);
  ASSERT_TRUE(kills(saving(), milliseconds(0), 2));
  ASSERT_GE(newest(), 2U);
  const std::string file = saved_ + "/checkpoint-" + std::to_string(newest());
  fs::resize_file(file, fs::file_size(file) - 1);
  const outcome ended = run(saving({"--resume", "--quiet"}));
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("\"" + file + "\" is not used"), HasSubstr("damaged"),
                               HasSubstr("The training goes on after")));
  EXPECT_EQ(hash(saving({"--resume"})), expected);
}

TEST_F(Resume, BeginsAnewWhereThereIsNothingAndSaysSo) {
  const outcome ended = run(saving({"--resume", "--quiet"}));
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.err, "train_digits: There is no checkpoint in \"" + saved_ +
                           "\": the training begins anew.\n");
}

TEST_F(Resume, RefusesTheCheckpointOfAnotherTraining) {
  ASSERT_EQ(run(saving({"--quiet"})).exit_code, 0);
  const auto refusal = [this](const arguments& more) {
    const outcome ended = run(saving(more + arguments{"--quiet"}));
    EXPECT_EQ(ended.exit_code, 2) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    return ended.err;
  };
  EXPECT_THAT(refusal({"--resume", "--seed", "2"}), HasSubstr("--seed"));
  EXPECT_THAT(refusal({}), HasSubstr("--resume"));
  arguments shorter = job_;
  shorter.back() = "1";
  const outcome ended = run(shorter + arguments{"--checkpoint", saved_, "--resume", "--quiet"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--epochs allows 6"));
}

// The results are not lost with the checkpoints.
TEST_F(Resume, GoesOnWhereNoCheckpointCanBeWritten) {
  fs::create_directories(saved_ + "/checkpoint-1.new/in the way");
  const outcome ended = run(saving({"--quiet"}));
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.out, HasSubstr("test accuracy"));
  EXPECT_THAT(ended.err, AllOf(HasSubstr("\"" + saved_ + "/checkpoint-1\""),
                               HasSubstr("File exists"), HasSubstr("The training goes on.")));
}

}  // namespace

}  // namespace main_job
