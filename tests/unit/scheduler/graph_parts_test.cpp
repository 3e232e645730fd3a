// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <hocket/hocket.hpp>

namespace hocket {
namespace {

using ::testing::HasSubstr;

/// On the clock that passes and on the virtual one.
class Graphs : public ::testing::TestWithParam<clock_kind> {
 protected:
  Graphs() : rt_(options()) {}

  static runtime_options options() {
    runtime_options made;
    made.clock = GetParam();
    made.backends = {{"cpu", made.clock == clock_kind::real ? "" : "lanes=2"},
                     {"sim", "1,memory=1M"}};
    made.devices = "NUMA0,Sim0";
    return made;
  }

  runtime rt_;
};

INSTANTIATE_TEST_SUITE_P(, Graphs, ::testing::Values(clock_kind::real, clock_kind::simulated),
                         [](const auto& each) {
                           return std::string(each.param == clock_kind::real ? "real" : "virtual");
                         });

TEST_P(Graphs, ArePartsOfOthers) {
  std::string log;
  const auto say = [&](char c) { return [&log, c] { log += c; }; };
  const graph pair = rt_.record([&](submitter& s) {
    const auto b = s.async(say('b'));
    s.async({.after = {b}}, say('c'));
  });
  const graph whole = rt_.record([&](submitter& s) {
    const auto a = s.async(say('a'));
    const auto first = s.run({.after = {a}}, pair);
    const auto d = s.async({.after = {first}}, say('d'));
    const auto second = s.run({.after = {d}}, pair);
    s.async({.after = {second}}, say('e'));
  });
  EXPECT_EQ(whole.size(), 7U);
  rt_.run(whole).get();
  EXPECT_EQ(log, "abcdbce");
}

TEST_P(Graphs, OfManyTasksComeAfterManyOthersAndBeforeMany) {
  std::atomic<int> calls{0};
  std::atomic<bool> ordered{true};
  const auto many = [&](submitter& s, int least, const future_list& after) {
    std::vector<any_future> made;
    for (int i = 0; i < 50; ++i) {
      made.emplace_back(s.async({.after = after}, [&, least] {
        if (calls++ < least) ordered = false;
      }));
    }
    return future_list(made);
  };
  const graph inner = rt_.record([&](submitter& s) { many(s, 50, {}); });
  const graph whole = rt_.record([&](submitter& s) {
    const auto between = s.run({.after = many(s, 0, {})}, inner);
    many(s, 100, {between});
  });
  EXPECT_EQ(whole.size(), 150U);
  rt_.run(whole).get();
  EXPECT_EQ(calls, 150);
  EXPECT_TRUE(ordered);
}

TEST_P(Graphs, WithDataAreInOrderWithTheTasksAround) {
  const buffer<float> x{rt_, 100, 1.0f, "x"};
  const graph twice = rt_.record([&](submitter& s) {
    s.submit(ops::axpy, 1.0f, reads(buffer<float>(rt_, 100, 0.0f)), updates(x));
    s.submit(
        [](buffer_view<float> v) {
          for (std::size_t i = 0; i < v.size(); ++i) v[i] *= 2;
        },
        updates(x));
  });
  const graph whole = rt_.record([&](submitter& s) {
    s.submit(ops::fill, 3.0f, writes(x));
    s.run(twice);
    s.submit(
        [](buffer_view<float> v) {
          for (std::size_t i = 0; i < v.size(); ++i) v[i] += 1;
        },
        updates(x));
    s.run(twice);
  });
  EXPECT_EQ(whole.size(), 6U);
  rt_.run(whole);
  EXPECT_EQ(x.to_vector()[99], 14.0f);
}

TEST_P(Graphs, OfFunctionsStayFastWithinOnesWithData) {
  const buffer<int> x{rt_, 1, 0, "x"};
  std::atomic<int> calls{0};
  const graph functions = rt_.record([&](submitter& s) {
    const auto first = s.async([&] { ++calls; });
    s.async({.after = {first}}, [&] { calls = 10 * calls; });
  });
  const graph whole = rt_.record([&](submitter& s) {
    const auto seven = s.submit(ops::fill, 7, writes(x));
    const auto ran = s.run({.after = {seven}}, functions);
    s.submit(
        {.after = {ran}}, [&](buffer_view<int> v) { v[0] += calls; }, updates(x));
  });
  rt_.run(whole).get();
  EXPECT_EQ(x.to_vector()[0], 17);
}

TEST_P(Graphs, ChooseAtRunTime) {
  int number = 0;
  std::string log;
  const auto say = [&](char c) {
    return rt_.record([&log, c](submitter& s) { s.async([&log, c] { log += c; }); });
  };
  const graph whole = rt_.record([&](submitter& s) {
    const auto known = s.async([&] { return number; });
    const auto chosen = s.run_one_of(known, {say('a'), say('b'), say('c')});
    const auto odd = s.run_if(
        {.after = {chosen}}, [&] { return number % 2 == 1; }, say('o'));
    s.run_if(
        {.after = {odd}}, [&] { return number > 1; }, say('x'), say('y'));
  });
  for (const char* expected : {"ay", "boy", "cx"}) {
    log.clear();
    rt_.run(whole).get();
    EXPECT_EQ(log, expected);
    ++number;
  }
}

TEST_P(Graphs, RepeatWhatIsRepeated) {
  int outer = 0;
  int inner = 0;
  int rounds = 0;
  const graph whole = rt_.record([&](submitter& s) {
    s.run_while([&] { return outer++ < 10; },
                [&](submitter& round) {
                  const auto reset = round.async([&] { inner = 0; });
                  round.run_until(
                      {.after = {reset}}, [&] { return ++inner == 5; },
                      [&](submitter& step) { step.async([&] { ++rounds; }); });
                });
  });
  for (int run = 1; run <= 3; ++run) {
    outer = 0;
    rt_.run(whole).get();
    EXPECT_EQ(rounds, 50 * run);
  }
}

TEST_P(Graphs, RepeatAtMostSoManyTimes) {
  int before = 0;
  int after = 0;
  const auto count = [](int& what) {
    return [&what](submitter& s) { s.async([&what] { ++what; }); };
  };
  const graph whole = rt_.record([&](submitter& s) {
    s.run_while([] { return true; }, count(before), 3);
    s.run_until([] { return false; }, count(after), 4);
    s.run_while([] { return true; }, count(before), 0);
  });
  rt_.run(whole).get();
  EXPECT_EQ(before, 3);
  EXPECT_EQ(after, 4);
}

TEST_P(Graphs, RepeatUntilTheDataAreGood) {
  const buffer<float> x{rt_, 10, 1.0f, "x"};
  const buffer<float> rest{rt_, 1, "rest"};
  const graph solve = rt_.record([&](submitter& s) {
    s.submit(ops::fill, 1.0f, writes(rest));
    s.run_while(when([](buffer_view<const float> r) { return r[0] > 0.01f; }, reads(rest)),
                [&](submitter& round) {
                  round.submit([](buffer_view<float> v) { v[0] /= 2; }, updates(rest));
                  round.submit(ops::axpy, 1.0f, reads(buffer<float>(rt_, 10, 1.0f)), updates(x));
                });
    s.submit([](buffer_view<const float> v, buffer_view<float> r) { r[0] = v[0]; }, reads(x),
             writes(rest));
  });
  rt_.run(solve);
  EXPECT_EQ(rest.to_vector()[0], 8.0f);
  rt_.run(solve);
  rt_.run(solve);
  EXPECT_EQ(rest.to_vector()[0], 22.0f);
}

TEST_P(Graphs, AreChosenWhenWhatComesBeforeHasEnded) {
  const buffer<int> x{rt_, 1000, 1, "x"};
  std::atomic<bool> looked{false};
  const graph whole = rt_.record([&](submitter& s) {
    s.submit([&](buffer_view<const int>) { looked = true; }, reads(x));
    s.run_if([&] { return looked.exchange(false); },
             [&](submitter& then) { then.submit(ops::fill, 2, writes(x)); },
             [&](submitter& otherwise) { otherwise.submit(ops::fill, 3, writes(x)); });
  });
  for (int run = 0; run < 20; ++run) rt_.run(whole);
  EXPECT_EQ(x.to_vector()[0], 2);
}

TEST_P(Graphs, ChooseAndRepeatWithoutARecordingToo) {
  const buffer<int> x{rt_, 1, 0, "x"};
  int rounds = 0;
  const auto one_more = [&](submitter& s) {
    s.submit([](buffer_view<int> v) { ++v[0]; }, updates(x));
  };
  rt_.run_while([&] { return rounds++ < 5; }, one_more);
  const future<bool> large =
      rt_.submit([](buffer_view<const int> v) { return std::int64_t{v[0]}; }, reads(x))
          .then([](std::int64_t v) { return v >= 5; });
  rt_.run_if(large, one_more);
  EXPECT_EQ(x.to_vector()[0], 6);
}

TEST_P(Graphs, TakeParameters) {
  const run_parameter<float> rate{0.5f, "rate"};
  const run_parameter<int> times{1, "times"};
  const buffer<float> one{rt_, 8, 1.0f}, x{rt_, 8, 0.0f, "x"};
  const graph step = rt_.record([&](submitter& s) {
    s.submit(ops::axpy, rate, reads(one), updates(x));
    s.submit([](int by, buffer_view<float> v) { v[0] *= static_cast<float>(by); }, times,
             updates(x));
  });
  const graph both = rt_.record([&](submitter& s) {
    s.run(step, {times = 10});
    s.run(step);
  });
  rt_.run(step);                              // 0.5
  rt_.run(step, {rate = 2.0f});               // 2.5
  rt_.run(both, {rate = 1.0f, times = 100});  // (35 + 1) * 100
  const std::vector<float> seen = x.to_vector();
  EXPECT_EQ(seen[0], 3600.0f);
  EXPECT_EQ(seen[1], 4.5f);
  rt_.submit(ops::fill, rate, writes(x));  // what it was made with
  EXPECT_EQ(x.to_vector()[7], 0.5f);
}

TEST_P(Graphs, UseManyBuffersAndParameters) {
  constexpr int many = 60;  // more than are looked for one by one
  std::vector<run_parameter<int>> numbers;
  std::vector<buffer<int>> buffers;
  for (int i = 0; i < many; ++i) {
    numbers.emplace_back(-1, "number " + std::to_string(i));
    buffers.emplace_back(rt_, 1, 0);
  }
  const graph add = rt_.record([&](submitter& s) {
    s.run_if([] { return true; },
             [&](submitter& inner) {
               for (int round = 0; round < 2; ++round) {
                 for (std::size_t i = 0; i < many; ++i) {
                   inner.submit([](int n, buffer_view<int> v) { v[0] += n; }, numbers[i],
                                updates(buffers[i]));
                 }
               }
             });
  });
  // Settings of a part override those of the graph that contains it; other parameters take those.
  settings inner, outer;
  for (std::size_t i = 0; i < many; ++i) {
    if (i % 3 == 0) inner.push_back(numbers[i] = 1000 + static_cast<int>(i));
    if (i % 3 == 1) outer.push_back(numbers[i] = static_cast<int>(i));
  }
  const graph both = rt_.record([&](submitter& s) { s.run(add, inner); });
  rt_.run(both, outer);
  // Reading a buffer waits for every task of the run that updates it.
  for (std::size_t i = 0; i < many; ++i) {
    const int n = static_cast<int>(i);
    const int wanted = i % 3 == 0 ? 1000 + n : (i % 3 == 1 ? n : -1);
    EXPECT_EQ(buffers[i].to_vector()[0], 2 * wanted) << i;
  }
  // Each setting is looked at, however many there are.
  settings all;
  for (const run_parameter<int>& each : numbers) all.push_back(each = 5);
  rt_.run(add, all).get();
  all.push_back(numbers[40] = 6);
  EXPECT_THROW(rt_.run(add, all), usage_error);
  all.back() = run_parameter<int>(0, "other") = 7;
  EXPECT_THROW(rt_.run(add, all), usage_error);
}

TEST_P(Graphs, KeepTheParametersOfEachRunThatIsUnderWay) {
  const run_parameter<int> number{0, "number"};
  const buffer<int> seen{rt_, 50, 0, "seen"};
  const buffer<int> count{rt_, 1, 0, "count"};
  const graph note = rt_.record([&](submitter& s) {
    s.run_if([] { return true; },
             [&](submitter& inner) {
               inner.submit(
                   [](int n, buffer_view<int> at, buffer_view<int> all) {
                     all[static_cast<std::size_t>(at[0]++)] = n;
                   },
                   number, updates(count), updates(seen));
             });
  });
  for (int i = 0; i < 50; ++i) rt_.run(note, {number = 3 * i});
  const std::vector<int> all = seen.to_vector();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)], 3 * i);
}

TEST_P(Graphs, EndCleanlyWhenATaskThrows) {
  bool throws = true;
  std::atomic<int> calls{0};
  const buffer<int> x{rt_, 1, 0, "x"};
  for (const bool with_data : {false, true}) {
    calls = 0;
    throws = true;
    const graph whole = rt_.record([&](submitter& s) {
      const auto loop = s.run_while(
          {.label = "loop"}, [] { return true; },
          [&](submitter& round) {
            const auto bad = round.async({.label = "bad"}, [&] {
              if (throws && calls == 2) throw std::runtime_error("no luck");
              ++calls;
            });
            if (with_data) round.submit({.after = {bad}}, ops::fill, 1, writes(x));
          },
          5);
      s.async({.label = "next", .after = {loop}}, [&] { calls += 100; });
    });
    const future<void> run = rt_.run(whole);
    const future<void> then = run.then([&] { calls += 1000; });
    EXPECT_THROW(run.get(), std::runtime_error);
    EXPECT_EQ(run.error().message(), "Task \"bad\" failed: no luck.");
    EXPECT_THAT(then.error().message(), HasSubstr("\"bad\" failed: no luck"));
    EXPECT_EQ(calls, 2);
    if (with_data) {
      EXPECT_THROW((void)x.to_vector(), error) << "what a loop leaves that did not end";
    }
    throws = false;
    rt_.run(whole).get();
    EXPECT_EQ(calls, 107);
    EXPECT_EQ(x.to_vector()[0], with_data ? 1 : 0);
  }
}

/// Failures of conditions and of what they choose, none of which has a future.
class unseen_choices : public ::testing::TestWithParam<const char*> {
 protected:
  unseen_choices() : rt_({.devices = GetParam(), .backends = {{"sim", "1,memory=1M"}}}) {}

  /// What waiting for all tasks throws.
  [[nodiscard]] std::string told() {
    try {
      rt_.wait();
    } catch (const std::exception& why) {
      return why.what();
    }
    return "";
  }

  runtime rt_;
  const buffer<int> x_{rt_, 1, 0, "x"};
  const graph good_ = rt_.record([&](submitter& s) { s.submit(ops::fill, 1, writes(x_)); });
  const graph bad_ = rt_.record([&](submitter& s) {
    s.submit(
        {.label = "bad"}, [](buffer_view<int>) { throw std::runtime_error("no luck"); },
        updates(x_));
  });
};

TEST_P(unseen_choices, are_told_by_a_wait_for_all_tasks) {
  rt_.run_if([] { return true; }, bad_);
  EXPECT_THAT(told(), HasSubstr("no luck"));
  rt_.submit(ops::fill, 0, writes(x_));
  rt_.run_if([]() -> bool { throw std::runtime_error("no answer"); }, good_);
  EXPECT_THAT(told(), HasSubstr("no answer"));
  rt_.submit(ops::fill, 0, writes(x_));
  rt_.run_one_of([] { return 7; }, {good_});
  EXPECT_THAT(told(), HasSubstr("chooses graph 7"));
  EXPECT_EQ(told(), "");
}

TEST_P(unseen_choices, do_not_hide_the_failure_of_a_task_before_them) {
  rt_.run(bad_);
  rt_.run_if([] { return true; },
             [&](submitter& s) { s.submit([](buffer_view<int> x) { x(0) += 1; }, updates(x_)); });
  EXPECT_THAT(told(), HasSubstr("no luck"));
}

TEST_P(unseen_choices, are_told_by_their_scope) {
  task_scope scope{rt_};
  scope.run_if([] { return true; }, bad_);
  EXPECT_THROW(scope.wait(), std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(, unseen_choices, ::testing::Values("NUMA0", "NUMA0,Sim0"),
                         [](const auto& each) {
                           return std::string(each.param == std::string("NUMA0") ? "host"
                                                                                 : "placed");
                         });

TEST_P(Graphs, FailWhenTheAnswerIsNoGraph) {
  const graph empty = rt_.record([](submitter&) {});
  for (const bool with_data : {false, true}) {
    const buffer<int> x{rt_, 1, 0, "x"};
    const graph whole = rt_.record([&](submitter& s) {
      if (with_data) s.submit(ops::fill, 1, writes(x));
      s.run_one_of({.label = "which"}, [] { return 2; }, {empty, empty});
    });
    EXPECT_EQ(rt_.run(whole).error().message(),
              "Task \"which\" chooses graph 2, and its graphs are 0 to 1.");
  }
}

TEST_P(Graphs, NameTheAnswerThatIsNoGraphAsItsTypePrintsIt) {
  const graph empty = rt_.record([](submitter&) {});
  const buffer<int> x{rt_, 1, 1, "x"};
  const auto named = [&](auto&& condition) {
    const graph whole = rt_.record([&](submitter& s) {
      s.run_one_of({.label = "which"}, condition, {empty, empty});
    });
    const std::string message = rt_.run(whole).error().message();
    EXPECT_EQ(rt_.run_one_of({.label = "which"}, condition, {empty, empty}).error().message(),
              message);
    return message;
  };
  const std::string most =
      "Task \"which\" chooses graph 18446744073709551615, and its graphs are "
      "0 to 1.";
  const std::string below = "Task \"which\" chooses graph -1, and its graphs are 0 to 1.";
  EXPECT_EQ(named([] { return ~std::uint64_t{0}; }), most);
  EXPECT_EQ(named([] { return -1; }), below);
  EXPECT_EQ(named(rt_.async([] { return ~std::uint64_t{0}; })), most);
  EXPECT_EQ(named(rt_.async([] { return -1; })), below);
  const auto from_data = [](buffer_view<const int> v) {
    return ~std::uint64_t{0} + static_cast<std::uint64_t>(v(0) - 1);
  };
  EXPECT_EQ(named(when(from_data, reads(x))), most);
}

TEST_P(Graphs, AreCancelledInTheMiddle) {
  const buffer<int> x{rt_, 1, 0, "x"};
  for (const bool with_data : {false, true}) {
    future<void> run;
    std::atomic<bool> known{false};
    std::atomic<int> calls{0};
    std::atomic<bool> cancels{true};
    const graph whole = rt_.record([&](submitter& s) {
      const auto loop = s.run_while([] { return true; },
                                    [&](submitter& round) {
                                      round.async([&] {
                                        if (!cancels) return;
                                        while (!known) std::this_thread::yield();
                                        if (++calls == 3) run.cancel();
                                      });
                                      if (with_data) round.submit(ops::fill, 2, writes(x));
                                    },
                                    cancels ? 1000 : 2);
      s.async({.after = {loop}}, [&] { calls += 100; });
    });
    run = rt_.run(whole);
    known = true;
    run.wait();
    EXPECT_EQ(run.error().code(), failure_code::cancelled) << run.error().message();
    EXPECT_EQ(calls, 3);
    cancels = false;
    rt_.run(whole).get();
    EXPECT_EQ(calls, 103);
  }
  rt_.wait();
}

TEST_P(Graphs, EndWhenTheirRuntimeStops) {
  const buffer<int> x{rt_, 1, 0, "x"};
  std::atomic<int> rounds{0};
  const graph forever = rt_.record([&](submitter& s) {
    s.run_while([] { return true; },
                [&](submitter& round) {
                  round.async([&] {
                    if (++rounds == 10) rt_.stop();
                  });
                  round.submit(ops::fill, 2, writes(x));
                });
  });
  const future<void> run = rt_.run(forever);
  run.wait();
  EXPECT_EQ(run.error().code(), failure_code::cancelled) << run.error().message();
}

TEST_P(Graphs, EndWithTheirScope) {
  const buffer<int> x{rt_, 1, 0, "x"};
  for (const bool with_data : {false, true}) {
    int rounds = 0;
    future<void> run;
    {
      task_scope scope(rt_);
      run = scope.run_while([] { return true; },
                            [&](submitter& round) {
                              round.async([&] {
                                if (++rounds == 5) scope.cancel();
                              });
                              if (with_data) round.submit(ops::fill, 2, writes(x));
                            });
      scope.run(rt_.record([&](submitter& s) { s.async([&] { std::this_thread::yield(); }); }));
      scope.wait();
    }
    EXPECT_EQ(run.error().code(), failure_code::cancelled) << run.error().message();
    EXPECT_EQ(rounds, 5);
  }
}

TEST_P(Graphs, OfOneKindRunSideBySide) {
  std::atomic<int> calls{0};
  const graph whole = rt_.record([&](submitter& s) {
    for (int i = 0; i < 20; ++i) {
      s.run_if([i] { return i % 2 == 0; },
               [&](submitter& inner) { inner.async([&] { ++calls; }); });
    }
  });
  const auto run_some = [&] {
    std::vector<future<void>> runs;
    for (int i = 0; i < 20; ++i) runs.push_back(rt_.run(whole));
    for (const future<void>& each : runs) each.get();
  };
  std::vector<std::thread> threads;
  const int others = GetParam() == clock_kind::real ? 3 : 0;
  for (int t = 0; t < others; ++t) threads.emplace_back(run_some);
  run_some();
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(calls, (others + 1) * 20 * 10);
}

TEST_P(Graphs, ComeAfterOtherTasks) {
  std::atomic<int> state{0};
  const graph functions = rt_.record([&](submitter& s) { s.async([&] { state = 2 * state; }); });
  const auto first = rt_.async([&] { state = 21; });
  rt_.run({.after = {first}}, functions).get();
  EXPECT_EQ(state, 42);
  const auto bad = rt_.async({.label = "bad"}, [] { throw std::runtime_error("no luck"); });
  const auto never = rt_.run({.label = "never", .after = {bad}}, functions);
  EXPECT_EQ(never.error().message(),
            "Task \"never\" did not run, because task \"bad\" failed: no luck.");
  EXPECT_EQ(state, 42);
}

}  // namespace
}  // namespace hocket
