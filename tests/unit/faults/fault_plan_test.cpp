// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <clocale>
#include <filesystem>
#include <fstream>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/core/error.hpp>
#include <hocket/devices/fault_plan.hpp>

namespace hocket {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(std::string_view text) {
  try {
    const fault_plan plan(text);
  } catch (const usage_error& thrown) {
    return thrown.what();
  }
  ADD_FAILURE() << "\"" << text << "\" is taken";
  return {};
}

fault_rule only_rule(std::string_view text) {
  const fault_plan plan(text);
  EXPECT_EQ(plan.rules().size(), 1U) << text;
  return plan.rules().front();
}

TEST(FaultPlan, ReadsEachAction) {
  const fault_plan plan(
      "fail OpenCL0 allocation 4..5\n"
      "delay GPU1 copy 5 by 2ms\n"
      "hang Sim1 wait 9..\n"
      "corrupt * copy-out 2.5%\n"
      "lose Vulkan0 after 20ms\n"
      "lose Sim0 launch after 1s");
  EXPECT_THAT(plan.rules(), ElementsAre(fault_rule{.action = fault_action::fail,
                                                   .device = "OpenCL0",
                                                   .call = fault_call::allocation,
                                                   .first = 4,
                                                   .last = 5},
                                        fault_rule{.action = fault_action::delay,
                                                   .device = "GPU1",
                                                   .call = fault_call::copy,
                                                   .first = 5,
                                                   .by = milliseconds(2)},
                                        fault_rule{.action = fault_action::hang,
                                                   .device = "Sim1",
                                                   .call = fault_call::wait,
                                                   .first = 9,
                                                   .last = fault_rule::no_end},
                                        fault_rule{.action = fault_action::corrupt,
                                                   .device = "*",
                                                   .call = fault_call::copy_out,
                                                   .percent = 2.5},
                                        fault_rule{.action = fault_action::lose,
                                                   .device = "Vulkan0",
                                                   .call = {},
                                                   .after = milliseconds(20)},
                                        fault_rule{.action = fault_action::lose,
                                                   .device = "Sim0",
                                                   .call = fault_call::launch,
                                                   .after = milliseconds(1000)}));
}

TEST(FaultPlan, ReadsEachCall) {
  for (const fault_call call :
       {fault_call::allocation, fault_call::copy, fault_call::copy_in, fault_call::copy_out,
        fault_call::launch, fault_call::wait, fault_call::compile}) {
    const std::string text = "fail * " + std::string(to_string(call)) + " 1";
    EXPECT_EQ(only_rule(text), (fault_rule{.call = call})) << text;
  }
}

TEST(FaultPlan, HasRulesInLinesAndBetweenSemicolons) {
  const fault_plan plan(
      "# a comment; fail * launch 7\n"
      " seed 42 ;; fail * launch 1 ;\n\tfail * launch 2 # the second\n\n");
  EXPECT_EQ(plan.seed(), 42U);
  EXPECT_THAT(plan.rules(), ElementsAre(fault_rule{}, fault_rule{.first = 2}));
}

TEST(FaultPlan, IsEmptyWithoutRules) {
  for (const char* const text : {"", " ", ";", "\n;\n", "# fail * launch 1", "seed 7"}) {
    EXPECT_TRUE(fault_plan(text).empty()) << text;
  }
}

TEST(FaultPlan, ReadsTheEndsOfRanges) {
  EXPECT_EQ(only_rule("fail * launch 18446744073709551615").first,
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(only_rule("fail * launch 3..3"), (fault_rule{.first = 3}));
  EXPECT_EQ(only_rule("fail * launch 1.."), (fault_rule{.last = fault_rule::no_end}));
  EXPECT_EQ(only_rule("fail * launch 100%").percent, 100);
  EXPECT_EQ(only_rule("fail * launch 0.001%").percent, 0.001);
  EXPECT_EQ(only_rule("lose * after 0").after, nanoseconds{0});
  EXPECT_EQ(only_rule("delay * launch 1 by 1.5us").by, nanoseconds{1500});
  EXPECT_EQ(fault_plan("seed 18446744073709551615").seed(),
            std::numeric_limits<std::uint64_t>::max());
}

TEST(FaultPlan, IsTheSameWhenItsTextIsReadAgain) {
  for (const char* const text :
       {"fail OpenCL0 allocation 4..5", "delay GPU1 copy 5 by 2ms", "hang Sim1 launch 9..",
        "corrupt * copy-in 2.5%", "lose Vulkan0 after 20us", "lose * compile after 1s",
        "delay * wait 7 by 1500ns", "corrupt OpenCL0.1 copy-out 0.25%"}) {
    EXPECT_EQ(to_string(only_rule(text)), text);
  }
}

TEST(FaultPlan, NamesThePlaceTheValueAndWhatIsAllowed) {
  EXPECT_THAT(refusal("fail * launch 1; explode Sim0 launch 3"),
              AllOf(HasSubstr("runtime_options::faults, rule 2 (\"explode Sim0 launch 3\")"),
                    HasSubstr("\"explode\""), HasSubstr("fail, delay, hang, corrupt, lose")));
  EXPECT_THAT(refusal("fail Sim0 read 3"),
              AllOf(HasSubstr("\"read\""), HasSubstr("allocation, copy, copy-in, copy-out, launch, "
                                                     "wait, compile")));
  for (const char* const when :
       {"0x3", "many", "-1", "1.5", "3...5", "..5", "3..x", "18446744073709551616"}) {
    EXPECT_THAT(refusal(std::string("fail Sim0 launch ") + when),
                AllOf(HasSubstr("\"" + std::string(when) + "\""), HasSubstr("3..5")));
  }
  for (const char* const percent : {"0%", "101%", "x%", "%", "-1%", "nan%", "1e400%"}) {
    EXPECT_THAT(refusal(std::string("fail Sim0 launch ") + percent),
                AllOf(HasSubstr("\"" + std::string(percent) + "\""), HasSubstr("at most 100%")));
  }
  EXPECT_THAT(refusal("lose Sim0 after soon"), AllOf(HasSubstr("\"soon\""), HasSubstr("1.5ms")));
  EXPECT_THAT(refusal("seed x"), AllOf(HasSubstr("\"x\""), HasSubstr("whole number")));
}

TEST(FaultPlan, SaysWhatIsMissingOrTooMuch) {
  EXPECT_THAT(refusal("fail"), HasSubstr("the name of a device"));
  EXPECT_THAT(refusal("fail Sim0"), HasSubstr("allocation, copy"));
  EXPECT_THAT(refusal("fail Sim0 launch"), HasSubstr("a number of calls"));
  EXPECT_THAT(refusal("fail Sim0 launch after"), HasSubstr("a time"));
  EXPECT_THAT(refusal("seed"), HasSubstr("a whole number"));
  EXPECT_THAT(refusal("fail Sim0 launch 3 please"), HasSubstr("\"please\""));
  EXPECT_THAT(refusal("delay Sim0 launch 3"), HasSubstr("by 2ms"));
  EXPECT_THAT(refusal("delay Sim0 launch 3 by 0"), HasSubstr("more than 0"));
  EXPECT_THAT(refusal("fail Sim0 launch 3 by 2ms"), HasSubstr("only a delay"));
  EXPECT_THAT(refusal("fail Sim0 launch 0"), HasSubstr("from 1"));
  EXPECT_THAT(refusal("fail Sim0 launch 5..3"), AllOf(HasSubstr("5"), HasSubstr("3")));
}

TEST(FaultPlan, RefusesWhatACallCannotDo) {
  for (const char* const rule :
       {"delay Sim0 allocation 1 by 1ms", "hang Sim0 allocation 1", "corrupt Sim0 allocation 1"}) {
    EXPECT_THAT(refusal(rule), HasSubstr("can fail, or lose"));
  }
  EXPECT_THAT(refusal("corrupt Sim0 wait 1"), HasSubstr("copies and launches"));
  EXPECT_THAT(refusal("corrupt Sim0 compile 1"), HasSubstr("copies and launches"));
  EXPECT_THAT(refusal("fail Sim0 after 2ms"), HasSubstr("\"after\""));
}

TEST(FaultPlan, RefusesRulesThatNoTextCouldHave) {
  fault_plan plan;
  EXPECT_THROW(plan.add({.device = ""}), usage_error);
  EXPECT_THROW(plan.add({.call = {}}), usage_error);
  EXPECT_THROW(plan.add({.percent = -1}), usage_error);
  EXPECT_THROW(plan.add({.percent = 100.5}), usage_error);
  EXPECT_THROW(plan.add({.after = nanoseconds{-1}}), usage_error);
  EXPECT_TRUE(plan.empty());
  plan.add({.device = "Sim0", .first = 3});
  EXPECT_EQ(to_string(plan.rules().front()), "fail Sim0 launch 3");
}

void expect_percentages_are_read_again() {
  for (const std::string amount :
       {"2.5%", "100%", "33.333333333%", "0.0000001%", "0.1%", "0.30000000000000004%"}) {
    const fault_plan plan("fail * launch " + amount);
    const std::string text = to_string(plan.rules().front());
    EXPECT_EQ(text, "fail * launch " + amount);
    EXPECT_EQ(fault_plan(text).rules(), plan.rules()) << text;
  }
  fault_plan smallest;
  smallest.add({.percent = std::numeric_limits<double>::denorm_min()});
  EXPECT_EQ(fault_plan(to_string(smallest.rules().front())).rules(), smallest.rules());
}

TEST(FaultPlan, WritesPercentagesThatAreReadAgain) { expect_percentages_are_read_again(); }

TEST(FaultPlan, WritesPercentagesInAnyLocale) {
  if (std::setlocale(LC_NUMERIC, "de_DE.UTF-8") == nullptr) {
    GTEST_SKIP() << "there is no locale with a comma for decimals";
  }
  expect_percentages_are_read_again();
  std::setlocale(LC_NUMERIC, "C");
}

TEST(FaultPlan, ReadsAFile) {
  const auto path = std::filesystem::temp_directory_path() / "hocket_fault_plan_test.txt";
  std::ofstream(path) << "# the plan of a test\nseed 3\nfail * launch 2\n";
  const fault_plan plan("@" + path.string());
  std::filesystem::remove(path);
  EXPECT_EQ(plan.seed(), 3U);
  EXPECT_THAT(plan.rules(), ElementsAre(fault_rule{.first = 2}));
  EXPECT_THAT(refusal("@" + path.string()), AllOf(HasSubstr(path.string()), HasSubstr("read")));
}

TEST(FaultPlan, RefusesFilesThatAreNone) {
  EXPECT_THAT(refusal("@/"), HasSubstr("is \"@/\"; that file cannot be read: Is a directory."));
  // Which has no end.
  EXPECT_THAT(refusal("@/dev/zero"), HasSubstr("is \"@/dev/zero\"; that file cannot be read: "));
  const auto path = std::filesystem::temp_directory_path() / "hocket_fault_plan_large_test.txt";
  std::ofstream(path) << std::string((1U << 20U) + 1, '#');
  const std::string said = refusal("@" + path.string());
  std::filesystem::remove(path);
  EXPECT_THAT(said, HasSubstr("it has 1048577 bytes; at most 1048576 can be read."));
}

TEST(FaultPlan, ShowsTextsOnOneLineAndCut) {
  for (const char* text : {"fail Sim\x1b launch 0", "fai\x1bl * launch 1", "fail * lau\x1bnch 1",
                           "fail * launch \x1b", "fail * launch \x1b%", "fail * launch 1 \x1b",
                           "seed \x1b", "delay * launch 1 by \x1b", "@/no/file\n\x1b"}) {
    const std::string said = refusal(text);
    EXPECT_EQ(said.find_first_of("\x1b\n"), std::string::npos) << said;
    EXPECT_THAT(said, HasSubstr("?"));
  }
  EXPECT_LT(refusal("fail * launch " + std::string(10'000, '9')).size(), 2000U);
}

TEST(FaultCounts, AreTold) {
  EXPECT_EQ(to_string(fault_counts{}), "none");
  EXPECT_EQ(to_string(fault_counts{.failed = 2, .lost = 1}), "2 failed, 1 lost");
  EXPECT_EQ((fault_counts{1, 2, 3, 4, 5}.total()), 15U);
}

}  // namespace
}  // namespace hocket
