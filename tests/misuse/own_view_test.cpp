// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <atomic>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "guard.hpp"
#include "support.hpp"

namespace hocket {
namespace {

using hocket::testing::guard_thread;
using hocket::testing::refusal;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// What a thread that holds a view of "x" waits for: something behind that view.
struct wait_of_holder {
  std::string name;
  std::function<void(runtime&, const buffer<float>&)> call;
  std::string names = "\"x\"";  ///< what the message says beside the words of all of them
};

future<void> overwrite(submitter& in, const buffer<float>& x) {
  return in.submit({.label = "overwrite"}, ops::fill, 2.0f, writes(x));
}

future<void> coroutine_after(future<void> first) { co_await first; }

std::vector<wait_of_holder> waits_for_tasks() {
  return {
      {"get", [](runtime& rt, const auto& x) { overwrite(rt, x).get(); }, "\"overwrite\""},
      {"wait", [](runtime& rt, const auto& x) { overwrite(rt, x).wait(); }, "\"overwrite\""},
      {"why", [](runtime& rt, const auto& x) { (void)overwrite(rt, x).error(); }, "\"overwrite\""},
      {"rt_wait",
       [](runtime& rt, const auto& x) {
         (void)overwrite(rt, x);
         rt.wait();
       },
       "all tasks of the runtime"},
      {"scope_wait",
       [](runtime& rt, const auto& x) {
         const auto task = std::make_unique<future<void>>();
         task_scope scope{rt, {.label = "batch"}};
         *task = overwrite(scope, x);
         try {
           scope.wait();
         } catch (...) {
           task->cancel();  // the scope waits for its tasks in the end, too
           throw;
         }
       },
       "scope \"batch\""},
      {"wait_for_the_end_of_a_scope",
       [](runtime& rt, const auto& x) {
         task_scope scope{rt, {.label = "batch"}};
         auto task = overwrite(scope, x);
         auto then = scope.done().then([] {});
         try {
           then.wait();
         } catch (...) {
           task.cancel();
           throw;
         }
       },
       "scope \"batch\""},
      {"scope_wait_for_a_task_after_one_of_the_runtime",
       [](runtime& rt, const auto& x) {
         task_scope scope{rt, {.label = "batch"}};
         auto before = overwrite(rt, x);
         auto task = scope.async({.label = "later", .after = {before}}, [] {});
         try {
           scope.wait();
         } catch (...) {
           task.cancel();
           before.cancel();
           throw;
         }
       },
       "\"later\""},
      {"then", [](runtime& rt, const auto& x) { overwrite(rt, x).then([] {}).wait(); },
       "\"overwrite\""},
      {"when_all",
       [](runtime& rt, const auto& x) { when_all(rt.async([] {}), overwrite(rt, x)).wait(); },
       "\"overwrite\""},
  };
}

std::vector<wait_of_holder> waits_for_runs_and_views() {
  return {
      {"run_after",
       [](runtime& rt, const auto& x) {
         const graph g = rt.record([](submitter& s) { s.async([] {}); });
         rt.run({.after = {overwrite(rt, x)}}, g).wait();
       },
       "\"overwrite\""},
      {"run_with_data",
       [](runtime& rt, const auto& x) {
         const graph g = rt.record([&](submitter& s) { overwrite(s, x); });
         rt.run(g).wait();
       },
       "\"overwrite\""},
      {"run_if",
       [](runtime& rt, const auto& x) {
         rt.run_if([] { return true; }, [&](submitter& s) { overwrite(s, x); }).wait();
       }},
      {"run_while",
       [](runtime& rt, const auto& x) {
         rt.run_while([] { return true; }, [&](submitter& s) { overwrite(s, x); }, 3).wait();
       }},
      {"run_if_a_future_says_so",
       [](runtime& rt, const auto& x) {
         const future<int> answer = overwrite(rt, x).then([] { return 1; });
         rt.run_if(answer, [&](submitter& s) { s.async([] {}); }).wait();
       },
       "\"overwrite\""},
      {"run_one_of",
       [](runtime& rt, const auto& x) {
         const graph g = rt.record([&](submitter& s) { overwrite(s, x); });
         rt.run_one_of([] { return 0; }, std::vector<graph>{g}).wait();
       }},
      {"coroutine", [](runtime& rt, const auto& x) { coroutine_after(overwrite(rt, x)).wait(); },
       "\"overwrite\""},
      {"another_view", [](runtime&, const auto& x) { (void)x.write(); }},
      {"to_vector_of_what_is_overwritten",
       [](runtime& rt, const auto& x) {
         overwrite(rt, x);
         (void)x.to_vector();
       }},
      {"number_of_a_task",
       [](runtime& rt, const auto& x) {
         buffer<float> y{rt, 4, 1.0f, "y"};
         const future<float> sum = overwrite(rt, x).then([] { return 1.0f; });
         rt.submit({.label = "scale"}, ops::fill, sum, writes(y)).wait();
       },
       "\"overwrite\""},
      {"taker_of_a_budget",
       [](runtime& rt, const auto& x) {
         const budget bytes{rt, 64};
         rt.submit({.label = "taker", .takes = bytes.share(64)}, ops::fill, 2.0f, writes(x)).wait();
       },
       "\"taker\""},
  };
}

const std::vector<wait_of_holder>& all_waits() {
  static const std::vector<wait_of_holder> all = [] {
    std::vector<wait_of_holder> made = waits_for_tasks();
    std::vector<wait_of_holder> others = waits_for_runs_and_views();
    for (wait_of_holder& each : others) made.push_back(std::move(each));
    return made;
  }();
  return all;
}

class WaitingBehindOnesOwnView
    : public ::testing::TestWithParam<std::tuple<std::size_t, data_path>> {
 protected:
  const wait_of_holder& wait_ = all_waits()[std::get<0>(GetParam())];
  guard_thread guard_;
  runtime rt_{{.devices = "NUMA0", .data_tasks = std::get<1>(GetParam())}};
  buffer<float> x_{rt_, 10, 1.0f, "x"};
};

TEST_P(WaitingBehindOnesOwnView, IsRefused) {
  {
    const auto seen = x_.read();
    EXPECT_THAT(refusal([&] { wait_.call(rt_, x_); }),
                AllOf(HasSubstr("holds a view of buffer \"x\""), HasSubstr(wait_.names)));
    EXPECT_EQ(seen[0], 1.0f);
  }
  // What was cancelled has not been written.
  (void)rt_.submit(ops::fill, 3.0f, writes(x_));
  try {
    rt_.wait();
  } catch (const error&) {
  }
  EXPECT_EQ(x_.to_vector().front(), 3.0f);
}

// The view is held by a function, and the runtime's workers leave it for others while it waits.
TEST_P(WaitingBehindOnesOwnView, IsRefusedInAFunction) {
  const future<std::string> said = rt_.async([&] {
    const auto seen = x_.read();
    return refusal([&] { wait_.call(rt_, x_); });
  });
  ASSERT_TRUE(said.wait_for(std::chrono::seconds(20)));
  if (wait_.name == "rt_wait") {
    EXPECT_THAT(said.get(), HasSubstr("waits for all tasks"));
  } else {
    EXPECT_THAT(said.get(), HasSubstr("holds a view of buffer \"x\""));
  }
  try {
    rt_.wait();
  } catch (const error&) {
  }
}

INSTANTIATE_TEST_SUITE_P(, WaitingBehindOnesOwnView,
                         ::testing::Combine(::testing::Range(std::size_t{0}, all_waits().size()),
                                            ::testing::Values(data_path::in_place,
                                                              data_path::placed)),
                         [](const auto& of) {
                           const bool is_in_place = std::get<1>(of.param) == data_path::in_place;
                           return all_waits()[std::get<0>(of.param)].name +
                                  (is_in_place ? "_in_place" : "_placed");
                         });

// A destructor cannot refuse: it says so, and cancels what would never run.
TEST(EndOfAScope, BehindOnesOwnViewCancelsWhatIsBehindIt) {
  const guard_thread guard;
  for (const data_path path : {data_path::in_place, data_path::placed}) {
    runtime rt{{.devices = "NUMA0", .data_tasks = path}};
    buffer<float> x{rt, 10, 1.0f, "x"};
    future<void> task;
    {
      const auto seen = x.read();
      ::testing::internal::CaptureStderr();
      {
        task_scope scope{rt, {.label = "batch"}};
        task = overwrite(scope, x);
      }
      EXPECT_THAT(::testing::internal::GetCapturedStderr(),
                  AllOf(HasSubstr("\"x\""), HasSubstr("\"overwrite\"")));
    }
    EXPECT_EQ(task.error().code(), failure_code::cancelled);
  }
}

class WaitingForOnesOwnScope : public ::testing::TestWithParam<data_path> {
 protected:
  guard_thread guard_;
  runtime rt_{{.devices = "NUMA0", .data_tasks = GetParam()}};
  buffer<float> x_{rt_, 10, 1.0f, "x"};

  /// What a body that waits for the scope is told.
  std::string said_;
  void wait_in(task_scope& scope) {
    said_ = refusal([&] { scope.wait(); });
  }
};

TEST_P(WaitingForOnesOwnScope, InAFunction) {
  task_scope scope{rt_, {.label = "mine"}};
  scope.async([&] { wait_in(scope); }).wait();
  EXPECT_THAT(said_, AllOf(HasSubstr("scope \"mine\""), HasSubstr("belongs to it")));
}

TEST_P(WaitingForOnesOwnScope, InAFunctionOnAWorker) {
  task_scope scope{rt_, {.label = "mine"}};
  const auto task = scope.async([&] { wait_in(scope); });
  ASSERT_TRUE(task.wait_for(std::chrono::seconds(20)));
  EXPECT_THAT(said_, AllOf(HasSubstr("scope \"mine\""), HasSubstr("belongs to it")));
}

TEST_P(WaitingForOnesOwnScope, InAContinuation) {
  task_scope scope{rt_, {.label = "mine"}};
  scope.async([] {}).then([&] { wait_in(scope); }).wait();
  scope.async([] {}).then(cheap, [&] { wait_in(scope); }).wait();
  EXPECT_THAT(said_, HasSubstr("scope \"mine\""));
}

TEST_P(WaitingForOnesOwnScope, InAFunctionWithAccesses) {
  task_scope scope{rt_, {.label = "mine"}};
  scope.submit([&](buffer_view<float>) { wait_in(scope); }, writes(x_)).wait();
  EXPECT_THAT(said_, AllOf(HasSubstr("scope \"mine\""), HasSubstr("belongs to it")));
}

TEST_P(WaitingForOnesOwnScope, InAGraphThatItRuns) {
  task_scope scope{rt_, {.label = "mine"}};
  const graph host = rt_.record([&](submitter& s) {
    s.async([&] { wait_in(scope); });
    s.async([] {});
  });
  scope.run(host).wait();
  EXPECT_THAT(said_, AllOf(HasSubstr("scope \"mine\""), HasSubstr("belongs to it")));
  said_.clear();
  const graph data = rt_.record([&](submitter& s) {
    s.async([&] { wait_in(scope); });
    s.submit(ops::fill, 1.0f, writes(x_));
  });
  scope.run(data).wait();
  EXPECT_THAT(said_, AllOf(HasSubstr("scope \"mine\""), HasSubstr("belongs to it")));
}

TEST_P(WaitingForOnesOwnScope, InACondition) {
  task_scope scope{rt_, {.label = "mine"}};
  const auto asks = [&] {
    wait_in(scope);
    return false;
  };
  scope.run_if(asks, [&](submitter& s) { s.submit(ops::fill, 1.0f, writes(x_)); }).wait();
  EXPECT_THAT(said_, AllOf(HasSubstr("scope \"mine\""), HasSubstr("belongs to it")));
}

TEST_P(WaitingForOnesOwnScope, InAScopeWithin) {
  task_scope outer{rt_, {.label = "mine"}};
  task_scope inner{outer, {.label = "inner"}};
  inner.async([&] { wait_in(outer); }).wait();
  EXPECT_THAT(said_, AllOf(HasSubstr("scope \"mine\""), HasSubstr("belongs to it")));
}

INSTANTIATE_TEST_SUITE_P(, WaitingForOnesOwnScope,
                         ::testing::Values(data_path::in_place, data_path::placed),
                         [](const auto& of) {
                           return of.param == data_path::in_place ? "in_place" : "placed";
                         });

}  // namespace
}  // namespace hocket
