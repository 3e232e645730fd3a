// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
//
// Any two options of runtimes, tasks and scopes together, on both paths of tasks with data: every
// task ends, and those that end well have done what they had to do, once.

#include <array>
#include <atomic>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "runtimes.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;
using namespace std::chrono_literals;

enum class feature : std::uint8_t {
  few_pending,
  few_bytes_pending,
  traced,
  reduces,
  parts,
  timeout,
  deadline,
  no_bytes_of_a_budget,
  bytes_of_a_budget,
  lowest_priority,
  highest_priority,
  in_order,
  after,
  number_of_a_future,
  stop,
  stopped_meanwhile,
  scope,
  recorded,
  count
};

constexpr std::array<const char*, static_cast<std::size_t>(feature::count)> names = {
    "few_pending",
    "few_bytes_pending",
    "traced",
    "reduces",
    "parts",
    "timeout",
    "deadline",
    "no_bytes_of_a_budget",
    "bytes_of_a_budget",
    "lowest_priority",
    "highest_priority",
    "in_order",
    "after",
    "number_of_a_future",
    "stop",
    "stopped_meanwhile",
    "scope",
    "recorded"};

/// Two features of one program.
class pair_of_features {
 public:
  pair_of_features(feature one, feature other) : one_(one), other_(other) {}

  [[nodiscard]] bool has(feature f) const { return f == one_ || f == other_; }
  /// A function of time has no meaning in what is run later.
  [[nodiscard]] bool makes_sense() const {
    return one_ < other_ && !(has(feature::deadline) && has(feature::recorded)) &&
           !(has(feature::lowest_priority) && has(feature::highest_priority));
  }
  [[nodiscard]] std::string name() const {
    return std::string(names.at(static_cast<std::size_t>(one_))) + " and " +
           names.at(static_cast<std::size_t>(other_));
  }

  [[nodiscard]] runtime_options machine_for(data_path path) const {
    runtime_options made;
    made.devices = "NUMA0";
    made.topology = machine("numa:1 core:2 pu:1");
    // What is traced is placed.
    if (!has(feature::traced) || path == data_path::placed) made.data_tasks = path;
    if (has(feature::few_pending)) made.max_pending = 2;
    if (has(feature::few_bytes_pending)) made.max_pending_bytes = 2000;
    if (has(feature::traced)) made.trace_capacity = 16;
    return made;
  }

 private:
  feature one_;
  feature other_;
};

/// A program with two features: three threads that submit tasks which add one to a buffer.
class counting_program {
 public:
  counting_program(const pair_of_features& with, data_path path)
      : with_(with), rt_(with.machine_for(path)) {
    rt_.wait();
  }

  void run() {
    std::vector<std::thread> others;
    for (int t = 0; t < 2; ++t) others.emplace_back([this] { submit_all(); });
    submit_all();
    for (std::thread& each : others) each.join();
    try {
      rt_.wait();
    } catch (const error& failed) {
      EXPECT_EQ(failed.code(), failure_code::cancelled);
    }
    check();
  }

 private:
  static constexpr int of_each_thread = 8;
  static constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

  [[nodiscard]] task_options options(budget& own) const {
    task_options made{.label = "adds"};
    if (with_.has(feature::timeout)) made.timeout = 1h;
    if (with_.has(feature::deadline)) made.deadline = rt_.now() + 1h;
    if (with_.has(feature::lowest_priority)) made.priority = lowest;
    if (with_.has(feature::highest_priority)) made.priority = highest;
    if (with_.has(feature::no_bytes_of_a_budget)) made.takes = own.share(0);
    if (with_.has(feature::bytes_of_a_budget)) made.takes = own.share(10);
    if (with_.has(feature::stop) || with_.has(feature::stopped_meanwhile)) {
      made.stop = stop_.get_token();
    }
    return made;
  }

  void submit_all() {
    budget own{rt_, 10};
    buffer<float> side{rt_, 4, 0.0f, "side"};
    if (with_.has(feature::scope)) {
      task_scope around{rt_};
      for (int i = 0; i < of_each_thread; ++i) submit_one(around, own, side);
      around.wait();
    } else {
      for (int i = 0; i < of_each_thread; ++i) submit_one(rt_, own, side);
    }
    if (with_.has(feature::stopped_meanwhile)) stop_.request_stop();
  }

  void submit_one(submitter& to, budget& own, const buffer<float>& side) {
    if (!with_.has(feature::recorded)) return submit_to(to, own, side);
    const graph g = rt_.record([&](submitter& s) { submit_to(s, own, side); });
    to.run(g);
  }

  void submit_to(submitter& s, budget& own, const buffer<float>& side) {
    task_options how = options(own);
    if (with_.has(feature::in_order)) {
      how.on = rt_.device("NUMA0");
      how.in_order = true;
    }
    std::optional<future<void>> before;
    if (with_.has(feature::after)) how.after = {before.emplace(s.async([] {}))};
    const future<void> added = submit_adding(s, how, side);
    if (!with_.has(feature::bytes_of_a_budget)) return;
    s.submit(
        {.after = {added}, .returns = {added}}, [](buffer_view<const float>) {}, reads(side));
  }

  /// A task that adds one to the first element of the sum, and counts itself.
  future<void> submit_adding(submitter& s, const task_options& how, const buffer<float>& side) {
    const auto adds = [this](buffer_view<float> v, float one) {
      v[0] += one;
      ++ran_;
    };
    if (with_.has(feature::number_of_a_future)) {
      const future<float> zero = s.submit(ops::sum, reads(side));
      const auto adds_more = [adds](buffer_view<float> v, float nothing) { adds(v, 1 + nothing); };
      if (with_.has(feature::reduces)) return s.submit(how, adds_more, reduces(sum_, plus{}), zero);
      return s.submit(how, adds_more, updates(part()), zero);
    }
    if (with_.has(feature::reduces)) return s.submit(how, adds, reduces(part(), plus{}), 1.0f);
    return s.submit(how, adds, updates(part()), 1.0f);
  }

  [[nodiscard]] region<float> part() const {
    if (with_.has(feature::parts)) return sum_.rows(0, 2);
    return sum_;
  }

  void check() {
    const bool may_stop = with_.has(feature::stopped_meanwhile);
    if (!may_stop) {
      EXPECT_EQ(ran_, 3 * of_each_thread);
      EXPECT_EQ(sum_.to_vector().front(), static_cast<float>(3 * of_each_thread));
      return;
    }
    // What was cancelled leaves nothing to read, unless all of them had run.
    EXPECT_LE(ran_, 3 * of_each_thread);
    rt_.submit(ops::fill, 7.0f, writes(sum_)).get();
    EXPECT_EQ(sum_.to_vector().back(), 7.0f);
  }

  const pair_of_features with_;
  mutable runtime rt_;
  buffer<float> sum_{rt_, 4, 0.0f, "sum"};
  std::stop_source stop_;
  std::atomic<int> ran_{0};
};

class options_in_pairs : public ::testing::TestWithParam<std::tuple<data_path, int>> {};
INSTANTIATE_TEST_SUITE_P(, options_in_pairs,
                         ::testing::Combine(::testing::Values(data_path::placed,
                                                              data_path::in_place),
                                            ::testing::Range(0, static_cast<int>(feature::count))),
                         [](const auto& of) {
                           const bool placed = std::get<0>(of.param) == data_path::placed;
                           return std::string(placed ? "placed_" : "in_place_") +
                                  names.at(static_cast<std::size_t>(std::get<1>(of.param)));
                         });

TEST_P(options_in_pairs, let_every_task_end) {
  const auto [path, first] = GetParam();
  for (int second = first + 1; second < static_cast<int>(feature::count); ++second) {
    const pair_of_features both(static_cast<feature>(first), static_cast<feature>(second));
    if (!both.makes_sense()) continue;
    SCOPED_TRACE(both.name());
    counting_program(both, path).run();
  }
}

}  // namespace
}  // namespace hocket
