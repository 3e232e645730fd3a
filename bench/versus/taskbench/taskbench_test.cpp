// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <harness/report.hpp>

#include "patterns.hpp"
#include "sweep.hpp"
#include "work.hpp"

namespace hocket::bench {

namespace {

using ::testing::ElementsAre;

constexpr std::size_t width = 16;
constexpr std::size_t steps = 32;

shape pattern_called(const std::string& name) {
  for (shape& each : task_bench_patterns(width, steps)) {
    if (each.name == name) return std::move(each);
  }
  throw std::logic_error("There is no pattern " + name + ".");
}

/// What the task in that column follows, as columns; for patterns as wide in every step.
std::vector<std::uint32_t> followed_by(const shape& what, std::size_t step, std::size_t column) {
  const std::size_t task = step * width + column;
  std::vector<std::uint32_t> all;
  for (std::uint32_t at = what.first[task]; at < what.first[task + 1]; ++at) {
    EXPECT_EQ(what.follows[at] / width, step - 1);
    all.push_back(what.follows[at] % width);
  }
  return all;
}

/// A line of tasks.
shape line(std::uint32_t tasks) {
  shape made{"line", {0}, {}};
  for (std::uint32_t i = 0; i < tasks; ++i) {
    if (i > 0) made.follows.push_back(i - 1);
    made.first.push_back(static_cast<std::uint32_t>(made.follows.size()));
  }
  return made;
}

TEST(Patterns, AreTheElevenOfTaskBench) {
  std::vector<std::string> names;
  for (const shape& each : task_bench_patterns(width, steps)) names.push_back(each.name);
  EXPECT_THAT(names,
              ElementsAre("trivial", "no_comm", "stencil_1d", "stencil_1d_periodic", "dom", "tree",
                          "fft", "all_to_all", "nearest", "spread", "random_nearest"));
}

TEST(Patterns, FollowOnlyEarlierTasksAndEachOnce) {
  for (const shape& each : task_bench_patterns(width, steps)) {
    for (std::size_t i = 0; i < each.size(); ++i) {
      const std::set<std::uint32_t> list(each.follows.begin() + each.first[i],
                                         each.follows.begin() + each.first[i + 1]);
      EXPECT_EQ(list.size(), each.first[i + 1] - each.first[i]) << each.name;
      EXPECT_TRUE(list.empty() || *list.rbegin() < i) << each.name;
    }
  }
}

TEST(Patterns, HaveTheNumbersOfTasksAndOfDependencesThatFollowFromTheirDefinition) {
  const std::size_t w = width;
  const std::size_t edges = steps - 1;  // between steps
  const std::map<std::string, std::size_t> dependences{
      {"trivial", 0},
      {"no_comm", w * edges},
      {"stencil_1d", (3 * w - 2) * edges},
      {"stencil_1d_periodic", 3 * w * edges},
      {"all_to_all", w * w * edges},
      {"nearest", (5 * w - 6) * edges},
      {"spread", 5 * w * edges},
  };
  for (const auto& [name, count] : dependences) {
    const shape what = pattern_called(name);
    EXPECT_EQ(what.size(), w * steps) << name;
    EXPECT_EQ(what.follows.size(), count) << name;
  }
  EXPECT_EQ(pattern_called("tree").size(), 1 + 2 + 4 + 8 + w * (steps - 4));
  EXPECT_EQ(pattern_called("tree").follows.size(), pattern_called("tree").size() - 1);
  // It grows for 15 steps and shrinks for as many.
  EXPECT_EQ(pattern_called("dom").size(), w * (steps - w + 1));
}

TEST(Patterns, StopOrGoRoundAtTheEdges) {
  EXPECT_THAT(followed_by(pattern_called("stencil_1d"), 3, 0), ElementsAre(0, 1));
  EXPECT_THAT(followed_by(pattern_called("stencil_1d_periodic"), 3, 0), ElementsAre(0, 1, 15));
  EXPECT_THAT(followed_by(pattern_called("nearest"), 3, 14), ElementsAre(12, 13, 14, 15));
  EXPECT_THAT(followed_by(pattern_called("spread"), 1, 15), ElementsAre(3, 6, 9, 12, 15));
}

TEST(Patterns, FftDoublesItsReachFromStepToStep) {
  const shape what = pattern_called("fft");
  EXPECT_THAT(followed_by(what, 1, 8), ElementsAre(7, 8, 9));
  EXPECT_THAT(followed_by(what, 2, 8), ElementsAre(6, 8, 10));
  EXPECT_THAT(followed_by(what, 3, 8), ElementsAre(4, 8, 12));
  EXPECT_THAT(followed_by(what, 4, 8), ElementsAre(0, 8));
  EXPECT_THAT(followed_by(what, 5, 8), ElementsAre(7, 8, 9));
}

TEST(Patterns, RandomNearestIsPartOfNearest) {
  const shape some = pattern_called("random_nearest");
  const shape all = pattern_called("nearest");
  EXPECT_GT(some.follows.size(), width * (steps - 1));
  EXPECT_LT(some.follows.size(), all.follows.size() * 3 / 4);
  for (std::size_t column = 0; column < width; ++column) {
    EXPECT_THAT(followed_by(all, 7, column), ::testing::IsSupersetOf(followed_by(some, 7, column)));
    EXPECT_THAT(followed_by(some, 7, column), ::testing::Contains(column));
  }
}

TEST(Check, AcceptsOrderAgainAndAgain) {
  const shape what = line(5);
  graph_work work(what);
  for (int run = 0; run < 3; ++run) {
    EXPECT_NO_THROW(work.check("it", [&] {
      for (std::size_t i = 0; i < 5; ++i) work.run(i);
    }));
  }
}

TEST(Check, SeesATaskThatDoesNotWait) {
  const shape what = line(5);
  graph_work work(what);
  EXPECT_THROW(work.check("it",
                          [&] {
                            for (const std::size_t i : {0, 2, 1, 3, 4}) work.run(i);
                          }),
               std::runtime_error);
}

TEST(Check, SeesATaskThatIsLeftOutAndOneThatRunsTwice) {
  const shape what = pattern_called("trivial");
  graph_work work(what);
  const auto all_but = [&](std::size_t left_out, std::size_t twice) {
    for (std::size_t i = 0; i < what.size(); ++i) {
      if (i != left_out) work.run(i);
    }
    if (twice < what.size()) work.run(twice);
  };
  EXPECT_NO_THROW(work.check("it", [&] { all_but(what.size(), what.size()); }));
  EXPECT_THROW(work.check("it", [&] { all_but(7, what.size()); }), std::runtime_error);
  EXPECT_THROW(work.check("it", [&] { all_but(what.size(), 7); }), std::runtime_error);
}

/// A runtime that costs so many nanoseconds a task, on two threads.
double sweep_of(double cost, double longest_kernel) {
  const sweep_limits limits{1000, 2, 3.0, longest_kernel};
  return metg50(limits, [=](std::uint64_t iterations) {
    return 1000 / 2 * (3.0 * static_cast<double>(iterations) + cost);
  });
}

TEST(Sweep, FindsTheLengthWhereHalfIsCost) {
  // At the half the kernel takes as long as the runtime. The line between two points is an
  // approximation.
  for (const double cost : {50.0, 300.0, 777.0, 20'000.0}) {
    EXPECT_NEAR(sweep_of(cost, 1e6) / (2 * cost), 1.0, 0.05) << cost;
  }
}

TEST(Sweep, EndsAtTheLongestKernel) {
  const double length = sweep_of(1e6, 4'000);
  EXPECT_GT(length, 1e6 + 2'000);
  EXPECT_LE(length, 1e6 + 4'000);
}

TEST(Report, MeansAreGeometricAndOfTheBestPeer) {
  const auto made = [](const char* name, const char* subject, double median) {
    row one;
    one.name = name;
    one.subject = subject;
    one.metric = "time";
    one.median = median;
    return one;
  };
  const std::vector<row> rows{
      made("a", "hocket", 1), made("a", "slow", 9), made("a", "fast", 4),
      made("b", "hocket", 8), made("b", "slow", 2), made("c", "hocket", 5),
  };
  const std::vector<mean_ratio> means = mean_ratios(rows);
  ASSERT_EQ(means.size(), 1U);
  EXPECT_EQ(means[0].metric, "time");
  EXPECT_EQ(means[0].cases, 2U);
  EXPECT_DOUBLE_EQ(means[0].ratio, 1.0);  // of a quarter and four
}

TEST(Report, GrowthIsTheFactorForTenTimesTheSize) {
  const auto made = [](const char* name, const char* subject, std::size_t size, double median) {
    row one;
    one.name = name;
    one.subject = subject;
    one.size = size;
    one.median = median;
    return one;
  };
  const std::vector<row> rows{
      made("flat", "hocket", 100, 7),  made("flat", "peer", 100, 1),
      made("flat", "hocket", 400, 7),  made("flat", "peer", 400, 2),
      made("flat", "hocket", 1600, 7), made("flat", "peer", 1600, 4),
      made("alone", "hocket", 100, 3), made("without a size", "hocket", 0, 3),
  };
  const std::vector<growth> grown = growths(rows);
  ASSERT_EQ(grown.size(), 2U);
  EXPECT_EQ(grown[0].name + " " + grown[0].subject, "flat hocket");
  EXPECT_NEAR(grown[0].per_tenfold, 1.0, 1e-9);
  EXPECT_EQ(grown[1].subject, "peer");
  EXPECT_NEAR(grown[1].per_tenfold, std::sqrt(10.0), 1e-9);
  EXPECT_EQ(grown[1].least, 100U);
  EXPECT_EQ(grown[1].most, 1600U);
}

}  // namespace

}  // namespace hocket::bench
