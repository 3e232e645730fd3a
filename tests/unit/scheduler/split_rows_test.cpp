// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>

#include "runtimes.hpp"

namespace hocket {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using setting = testing::machine_setting;
using testing::thrown_by;

class split_task : public ::testing::TestWithParam<setting> {
 protected:
  runtime rt{options_for(GetParam())};
};

INSTANTIATE_TEST_SUITE_P(
    , split_task,
    ::testing::Values(setting{"in_place", "NUMA0", "", clock_kind::real, data_path::in_place},
                      setting{"host"}, setting{"devices", "NUMA0,Sim0,Sim1", "2"},
                      setting{"virtual_clock", "NUMA0,Sim0,Sim1,Sim2", "3,lanes=2",
                              clock_kind::simulated}),
    [](const auto& param) { return std::string(param.param.name); });

std::vector<float> numbers(std::size_t count) {
  std::vector<float> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = static_cast<float>(i % 101) / 7;
  return made;
}

bool is_cut_of(const std::vector<row_range>& pieces, std::size_t rows, std::size_t least) {
  std::size_t next = 0;
  for (const row_range& each : pieces) {
    if (each.first != next || each.last <= each.first) return false;
    if (each.last - each.first < std::min(least, rows)) return false;
    next = each.last;
  }
  return next == rows;
}

/// A second on a lane of any device here.
constexpr launch_work much{1e12, 0};

TEST_P(split_task, its_pieces_are_all_rows_once) {
  for (const std::size_t rows : {1U, 2U, 3U, 7U, 64U, 1000U, 4096U, 99'999U, 1U << 20}) {
    for (const std::size_t least : {1U, 2U, 5U, 1000U, 1U << 20}) {
      const std::vector<row_range> pieces = cut_rows(rt, rows, {}, least);
      EXPECT_TRUE(is_cut_of(pieces, rows, least)) << rows << " rows, " << least << " at least";
    }
    EXPECT_TRUE(is_cut_of(cut_rows(rt, rows, {}), rows, rows)) << rows;
    EXPECT_TRUE(is_cut_of(cut_rows(rt, rows, much), rows, 1)) << rows;
  }
  EXPECT_THAT(cut_rows(rt, 0, much), IsEmpty());
  EXPECT_EQ(cut_rows(rt, 2, much).size(), 2U);
}

TEST_P(split_task, is_one_piece_where_pieces_would_have_more_rows_than_there_are) {
  for (const std::size_t least : {std::size_t{1} << 62U, std::size_t{1} << 63U, ~std::size_t{0}}) {
    EXPECT_TRUE(is_cut_of(cut_rows(rt, 100, {1e9, 0}, least), 100, 100)) << least;
  }
}

TEST_P(split_task, refuses_a_cost_that_is_no_amount) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  EXPECT_THAT(thrown_by<usage_error>([&] {
                (void)cut_rows(rt, 10, {0, inf});
              }).what(),
              AllOf(HasSubstr("a cost of inf"), HasSubstr("finite and not negative")));
  EXPECT_THROW((void)cut_rows(rt, 10, {-1, 0}), usage_error);
}

TEST_P(split_task, its_pieces_get_smaller_and_are_the_same_again) {
  const std::vector<row_range> pieces = cut_rows(rt, 1 << 22, much);
  const auto rows = [](const row_range& each) { return each.last - each.first; };
  EXPECT_GE(pieces.size(), 8U);
  EXPECT_LE(rows(pieces.back()) * 8, rows(pieces.front()));
  EXPECT_TRUE(
      std::ranges::is_sorted(pieces.begin(), pieces.end() - 1, std::ranges::greater(), rows));
  const std::vector<row_range> again = cut_rows(rt, 1 << 22, much);
  EXPECT_TRUE(std::ranges::equal(pieces, again, {}, rows, rows));
}

TEST_P(split_task, does_what_the_whole_one_does) {
  constexpr std::size_t count = 100'003;
  const buffer<float> x{rt, {count}, numbers(count), "x"};
  const buffer<float> whole_sum{rt, count, 2.0f}, split_sum{rt, count, 2.0f};
  for (int i = 0; i < 3; ++i) {
    rt.submit(ops::axpy, 0.5f, reads(x), updates(whole_sum));
    const auto pieces =
        split_rows(rt, {.least_rows = 100}, ops::axpy, 0.5f, reads(x), updates(split_sum));
    EXPECT_GT(pieces.size(), 4U);
    when_all(pieces).get();
  }
  EXPECT_EQ(split_sum.to_vector(), whole_sum.to_vector());
}

TEST_P(split_task, reads_whole_what_every_piece_needs) {
  const buffer<float, 2> a{rt, {96, 96}, numbers(96 * 96), "a"};
  const buffer<float, 2> b{rt, {96, 24}, numbers(96 * 24), "b"};
  const buffer<float, 2> wanted{rt, {96, 24}}, c{rt, {96, 24}};
  rt.submit(ops::gemm_nn, reads(a), reads(b), writes(wanted));
  const auto pieces =
      split_rows(rt, {.least_rows = 4}, ops::gemm_nn, reads(a), whole(reads(b)), writes(c));
  EXPECT_GT(pieces.size(), 4U);
  const std::vector<float> expected = wanted.to_vector(), found = c.to_vector();
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(found[i], expected[i], 0.05) << i;
}

TEST_P(split_task, reduces_what_its_pieces_make_together) {
  const buffer<float, 2> x{rt, {300, 16}, 1.0f};
  const buffer<float> sums{rt, 16, 0.0f};
  split_rows(rt, {.least_rows = 10}, ops::bias_backward, reads(x), reduces(sums, plus{}));
  EXPECT_EQ(sums.to_vector(), std::vector<float>(16, 300.0f));
}

TEST_P(split_task, may_be_a_function_with_scratch) {
  const buffer<int, 2> x{rt, {200, 3}, 1};
  const auto sum_up = [](buffer_view<int, 2> rows, buffer_view<int> sum) {
    for (std::size_t row = 0; row < rows.extent(0); ++row) {
      sum[0] = rows(row, 0) + rows(row, 1) + rows(row, 2);
      for (std::size_t i = 0; i < 3; ++i) rows(row, i) = sum[0] + static_cast<int>(i);
    }
  };
  split_rows(rt, {.least_rows = 7, .task = {.label = "sum up"}}, sum_up, updates(x),
             scratch<int>(1));
  const auto seen = x.read();
  for (std::size_t row = 0; row < 200; ++row) {
    for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(seen(row, i), 3 + static_cast<int>(i)) << row;
  }
}

TEST_P(split_task, is_recorded_as_others_are) {
  const buffer<float> x{rt, 10'000, 1.0f}, y{rt, 10'000, 0.0f};
  const graph steps = rt.record([&](submitter& s) {
    const auto pieces = split_rows(s, {.least_rows = 50}, ops::axpy, 1.0f, reads(x), updates(y));
    s.async(pieces, [] {});
  });
  for (int i = 0; i < 4; ++i) rt.run(steps);
  EXPECT_EQ(y.to_vector(), std::vector<float>(10'000, 4.0f));
}

TEST_P(split_task, belongs_to_a_scope) {
  const buffer<float> x{rt, 10'000, 1.0f}, y{rt, 10'000, 0.0f};
  {
    task_scope scope(rt);
    split_rows(scope, {.least_rows = 50}, ops::axpy, 1.0f, reads(x), updates(y));
    scope.wait();
  }
  EXPECT_THAT(rt.pending().tasks, IsEmpty());
}

TEST_P(split_task, fails_where_a_piece_does) {
  const buffer<int> x{rt, 1000, 1};
  const auto fail_at_500 = [](buffer_view<int> rows) {
    for (std::size_t i = 0; i < rows.extent(0); ++i) {
      if (rows[i] == 500) throw std::runtime_error("500 was found");
    }
  };
  {
    const auto seen = x.write();
    std::iota(seen.begin(), seen.end(), 0);
  }
  const auto pieces = split_rows(rt, {.least_rows = 10}, fail_at_500, updates(x));
  EXPECT_THAT(thrown_by<std::runtime_error>([&] { when_all(pieces).get(); }).what(),
              HasSubstr("500 was found"));
  EXPECT_NO_THROW(pieces.front().get());
  EXPECT_EQ(x.rows(0, 10).read()[9], 9);
  EXPECT_THROW((void)x.to_vector(), error);
}

TEST_P(split_task, of_no_rows_is_none) {
  const buffer<float, 2> x{rt, {0, 4}}, y{rt, {0, 4}};
  EXPECT_THAT(split_rows(rt, ops::copy, reads(x), writes(y)), IsEmpty());
  EXPECT_NO_THROW(when_all(split_rows(rt, ops::copy, reads(x), writes(y))).get());
}

TEST_P(split_task, refuses_accesses_that_differ_in_their_rows) {
  const buffer<float> x{rt, 100, 1.0f, "x"}, y{rt, 50, 1.0f, "y"};
  EXPECT_THAT(
      thrown_by<usage_error>([&] { split_rows(rt, ops::axpy, 1.0f, reads(x), updates(y)); }).what(),
      AllOf(HasSubstr("\"x\" has 100 rows"), HasSubstr("\"y\" has 50"), HasSubstr("whole()")));
}

TEST_P(split_task, refuses_kernels_whose_results_depend_on_places) {
  const buffer<float> x{rt, 1000, 1.0f}, y{rt, 1000, 2.0f};
  const auto refused = [&](const auto& kernel, const auto&... arguments) {
    return std::string(
        thrown_by<usage_error>([&] { split_rows(rt, kernel, arguments...); }).what());
  };
  EXPECT_THAT(refused(ops::random_uniform, 1U, 0U, writes(x)),
              AllOf(HasSubstr("\"random_uniform\""), HasSubstr("cannot be split")));
  EXPECT_THAT(refused(ops::random_normal, 1U, 0U, writes(x)), HasSubstr("\"random_normal\""));
  EXPECT_THAT(refused(ops::inclusive_scan, reads(x), writes(y)), HasSubstr("\"inclusive_scan\""));
  EXPECT_THAT(refused(ops::exclusive_scan, reads(x), writes(y)), HasSubstr("\"exclusive_scan\""));
  EXPECT_THAT(refused(ops::sort, updates(x)), HasSubstr("\"sort\""));

  const auto number = [](auto& y, element_index auto i) { y = cast<float>(i); };
  EXPECT_THAT(refused(elementwise("number", number), writes(x)), HasSubstr("\"number\""));
  EXPECT_THAT(refused(elementwise_on_host("on host", number), writes(x)), HasSubstr("\"on host\""));

  const kernel<inout_buffer<float>> plain{"first",
                                          host_body{[](buffer_view<float> all) { all[0] = 7; }}};
  EXPECT_THAT(refused(plain.positional(), updates(x)), HasSubstr("\"first\""));
  EXPECT_NO_THROW(split_rows(rt, plain, updates(x)));

  const buffer<float, 2> a{rt, {20, 40}, 1.0f};
  const buffer<std::int32_t> pivots{rt, 20};
  EXPECT_THAT(refused(ops::getrf, updates(a), writes(pivots)), HasSubstr("\"getrf\""));
}

TEST_P(split_task, refuses_budgets) {
  const buffer<float> x{rt, 100, 1.0f};
  const budget memory{rt, 100};
  EXPECT_THAT(thrown_by<usage_error>([&] {
                split_rows(rt, {.task = {.takes = memory.share(10)}}, ops::fill, 0.0f, writes(x));
              }).what(),
              HasSubstr("budget"));
  const future<void> taker = rt.submit({.takes = memory.share(10)}, ops::fill, 0.0f, writes(x));
  EXPECT_THROW(split_rows(rt, {.task = {.returns = {taker}}}, ops::fill, 0.0f, writes(x)),
               usage_error);
}

/// A hundred operations for each row.
kernel<inout_buffer<float>> slow_kernel() {
  return kernel<inout_buffer<float>>{"slow", host_body{[](buffer_view<float> x) { x[0] += 1; }}}
      .cost([](const launch_shape& launch) {
        return launch_work{100.0 * static_cast<double>(launch[0][0]), 0};
      });
}

/// How long the third of three split tasks took, to what it takes at least.
double makespan_on(const std::vector<double>& speeds) {
  constexpr std::size_t rows = 1 << 22;
  std::string names, configuration;
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    const std::string separator = i == 0 ? "" : ";";
    configuration += separator + "1,link=100G,flops=" + std::to_string(speeds[i]) + "G";
    names += (i == 0 ? "Sim" : ",Sim") + std::to_string(i);
  }
  runtime rt{
      {.devices = names, .backends = {{"sim", configuration}}, .clock = clock_kind::simulated}};
  const buffer<float> x{rt, rows, 1.0f};
  const auto slow = slow_kernel();
  time_stamp begin{};
  for (int round = 0; round < 3; ++round) {
    rt.wait();
    begin = rt.now();
    split_rows(rt, slow, updates(x));
  }
  rt.wait();
  const double together = std::accumulate(speeds.begin(), speeds.end(), 0.0) * 1e9;
  return std::chrono::duration<double>(rt.now() - begin).count() * together / (100.0 * rows);
}

// A launch takes ten microseconds, and a row two nanoseconds of the faster device: 20,000 rows are
// worth a task.
TEST(split_tasks, have_pieces_that_are_worth_starting) {
  runtime rt{{.devices = "Sim0,Sim1",
              .backends = {{"sim", "1,flops=5G,launch=1ms;1,flops=50G,launch=10us"}},
              .clock = clock_kind::simulated}};
  constexpr std::size_t rows = 1'000'000;
  EXPECT_TRUE(is_cut_of(cut_rows(rt, rows, {100.0 * rows, 0}), rows, 20'000));
  EXPECT_FALSE(is_cut_of(cut_rows(rt, rows, {100.0 * rows, 0}), rows, 21'000));
  const buffer<float> x{rt, rows, 1.0f};
  const auto pieces = split_rows(rt, slow_kernel(), updates(x));
  EXPECT_THAT(pieces, ::testing::SizeIs(cut_rows(rt, rows, {100.0 * rows, 0}).size()));
}

// Makespans of the virtual clock: the same everywhere.
TEST(split_tasks, are_shared_out_by_what_devices_do) {
  EXPECT_LT(makespan_on({1, 1}), 1.02);
  EXPECT_LT(makespan_on({1, 10}), 1.02);
  EXPECT_LT(makespan_on({1, 100}), 1.02);
  EXPECT_LT(makespan_on({8, 4, 2, 1}), 1.02);
  EXPECT_LT(makespan_on({10, 40, 20, 5, 5}), 1.02);
  EXPECT_LT(makespan_on({1, 1, 1, 1, 1, 1, 1, 1}), 1.02);
}

}  // namespace
}  // namespace hocket
