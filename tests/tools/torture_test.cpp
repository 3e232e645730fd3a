// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// `hocket torture`: seeds that agree, a seed that fails, and what ends the search early.

#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <boost/json.hpp>

#include "child_program.hpp"

namespace torture_test {

using hocket::testing::arguments;
using hocket::testing::content_of;
using hocket::testing::outcome;
using hocket::testing::running;
using hocket::testing::scratch_folder;
using hocket::testing::operator+;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

namespace {

namespace json = boost::json;

outcome torture(const arguments& options) {
  return running(HOCKET, arguments{"torture"} + options).end();
}

json::object summary_of(const outcome& ended) {
  EXPECT_EQ(ended.err, "");
  return json::parse(ended.out).as_object();
}

void expect_refused(const arguments& options, const std::string& part) {
  const outcome ended = torture(options);
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, StartsWith("hocket: "));
  EXPECT_THAT(ended.err, HasSubstr(part));
}

TEST(Torture, TriesSeedsOfEachKind) {
  for (const char* const kind : {"any", "plain", "faults", "survive", "crowd", "in-place"}) {
    const outcome ended = torture({"--seeds", "60", "--kind", kind});
    EXPECT_EQ(ended.exit_code, 0) << kind << ended.out;
    EXPECT_EQ(ended.err, "") << "no progress but on a terminal";
    EXPECT_THAT(ended.out, StartsWith("ok  60 seeds agree")) << kind;
  }
}

TEST(Torture, InjectsFaultsThatAreSurvived) {
  const json::object made =
      summary_of(torture({"--seeds", "80", "--kind", "survive", "--tasks", "30", "--json", "-"}));
  EXPECT_EQ(made.at("seeds").to_number<int>(), 80);
  EXPECT_GE(made.at("tasks").to_number<int>(), 80 * 30);
  EXPECT_GT(made.at("faults").to_number<int>(), 0);
  EXPECT_GT(made.at("recoveries").to_number<int>(), 0);
  EXPECT_TRUE(made.at("failed").is_null());
}

TEST(Torture, DoesTheSameAgainWhateverTheEnvironmentSays) {
  const arguments options{"torture", "--first-seed", "500", "--seeds", "40", "--json", "-"};
  json::object first = summary_of(running(HOCKET, options).end());
  json::object again = summary_of(
      running("/usr/bin/env", arguments{"HOCKET_FAULTS=lose * launch 1", "HOCKET_BACKENDS=cpu",
                                        "HOCKET_VISIBLE_DEVICES=NUMA0", "HOCKET_INTEGRITY=copies",
                                        "HOCKET_SPECULATION=x", "HOCKET_BACKEND_SIM=9", HOCKET} +
                                  options)
          .end());
  for (json::object* each : {&first, &again}) {
    each->erase("seconds");
    each->erase("seeds_per_minute");
  }
  EXPECT_EQ(first, again);
}

TEST(Torture, WritesASummaryToAFile) {
  const scratch_folder folder;
  const outcome ended = torture({"--seeds", "5", "--json", folder / "summary.json"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.out, HasSubstr("5 seeds agree"));
  EXPECT_EQ(json::parse(content_of(folder / "summary.json")).at("seeds").to_number<int>(), 5);
}

TEST(Torture, EndsWithTheTime) {
  const json::object made = summary_of(torture({"--minutes", "0.005", "--json", "-"}));
  EXPECT_GE(made.at("seconds").to_number<double>(), 0.3);
  EXPECT_FALSE(made.at("interrupted").as_bool());
}

TEST(Torture, SaysWhatItHasUntilCtrlC) {
  outcome ended;
  // The signal may come before the command looks for it.
  for (const int seconds : {1, 4, 16}) {
    running searching(HOCKET, {"torture", "--minutes", "10"});
    std::this_thread::sleep_for(std::chrono::seconds(seconds));
    searching.interrupt();
    ended = searching.end();
    if (!ended.out.empty()) break;
  }
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_THAT(ended.out, HasSubstr("seeds agree"));
}

TEST(Torture, RefusesWrongUse) {
  expect_refused({"--kind", "gentle"}, "gentle");
  expect_refused({"--seeds", "0"}, "--seeds");
  expect_refused({"--seeds", "many"}, "--seeds");
  expect_refused({"--minutes", "-1"}, "--minutes");
  expect_refused({"--tasks", "0"}, "--tasks");
  expect_refused({"--devices", "OpenCL0"}, "--real");
  for (const char* const seed :
       {"18446744073709551615", "18446744073709551616", "-5", "-0", "+1", "1.5", "0x", ""}) {
    expect_refused({"--first-seed", seed}, "--first-seed");
  }
  expect_refused({"--real", "--devices", "OpenCL99"}, "OpenCL99");
  expect_refused({"--cruel"}, "--cruel");
}

#ifdef TORTURE_WITH_BUGS
/// A bug in the scheduler: a launch waits for nothing on its device.
TEST(Torture, FindsABugAndMakesItsProgramSmaller) {
  const outcome ended = running(TORTURE_WITH_BUGS, {"3", "torture", "--json", "-"}).end();
  EXPECT_EQ(ended.exit_code, 1);
  const json::object failed = json::parse(ended.out).at("failed").as_object();
  const auto seed = failed.at("seed").to_number<std::uint64_t>();
  EXPECT_EQ(std::string(failed.at("command").as_string()),
            "hocket torture --first-seed " + std::to_string(seed) + " --seeds 1");
  EXPECT_LE(failed.at("smallest_steps").to_number<int>(), 6);
  EXPECT_GT(failed.at("steps").to_number<int>(), 6);
  const outcome again = running(TORTURE_WITH_BUGS, {"3", "torture", "--seeds", "1", "--first-seed",
                                                    std::to_string(seed)})
                            .end();
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.out, HasSubstr(std::string(failed.at("wrong").as_string())));
  EXPECT_THAT(again.out, HasSubstr(std::string(failed.at("smallest").as_string())));
}

/// A bug by which the process ends: a block that is still used is freed.
TEST(Torture, FindsACrash) {
  const outcome ended = running(TORTURE_WITH_BUGS, {"8", "torture"}).end();
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.out, HasSubstr("FAILED: seed "));
  EXPECT_THAT(ended.out, HasSubstr("steps these "));
}

/// Bugs that show only where copies or allocations fail, and how many seeds are tried for each. The
/// later ones come after tens of thousands of seeds, of which these are the last: where seeds mean
/// other programs than before, look for another place among the first hundred thousand.
TEST(Torture, FindsBugsInWhatComesBehindFailedCommands) {
  const std::vector<arguments> searches{
      {"14", "torture", "--kind", "faults", "--seeds", "500"},
      {"15", "torture", "--kind", "faults", "--first-seed", "67600", "--seeds", "100"},
      {"16", "torture", "--kind", "survive", "--first-seed", "34400", "--seeds", "100"}};
  for (const arguments& each : searches) {
    const outcome ended = running(TORTURE_WITH_BUGS, each).end();
    EXPECT_EQ(ended.exit_code, 1) << each.front() << ended.out;
    EXPECT_THAT(ended.out, HasSubstr("FAILED: seed ")) << each.front();
  }
}
#endif

}  // namespace

}  // namespace torture_test
