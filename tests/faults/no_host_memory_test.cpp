// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// A program that runs out of host memory in a call that submits work: the call throws, or does what
// it says. What was submitted before ends either way, and the runtime goes on; or the program ends,
// where the order of its tasks would be lost. Each try has a process of its own.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <hocket/hocket.hpp>

#include "failing_allocations.hpp"

namespace hocket::testing {

namespace {

using namespace std::chrono_literals;

/// What a call is given: made before memory is short.
struct surroundings {
  runtime& rt;
  std::vector<buffer<int>> data;
  std::vector<future<int>> before;
  graph functions;
  graph tasks;
};

struct call {
  const char* name;
  data_path path;
  std::function<void(surroundings&)> make;
  /// The order of tasks by their data cannot be taken back half-way.
  bool may_end_program = false;
};

void PrintTo(const call& c, std::ostream* out) { *out << c.name; }

const auto add_one = [](buffer_view<int> x) { ++x[0]; };
const auto add_to = [](buffer_view<const int> a, buffer_view<const int> b, buffer_view<int> x) {
  x[0] += a[0] + b[0];
};

constexpr auto in_place = data_path::automatic;

std::vector<call> calls_without_data() {
  return {
      {"async", in_place, [](surroundings& s) { s.rt.async([] {}).get(); }},
      {"async_and_wait", in_place,
       [](surroundings& s) {
         s.rt.async([] {});
         s.rt.wait();
       }},
      {"async_after", in_place, [](surroundings& s) { s.rt.async(s.before, [] {}).get(); }},
      {"async_with_options", in_place,
       [](surroundings& s) {
         s.rt.async({.label = "a label that is too long for a short string", .timeout = 10s},
                    [](std::stop_token) {})
             .get();
       }},
      {"then", in_place,
       [](surroundings& s) { s.before[0].then([](int x) { return x + 1; }).get(); }},
      {"when_all", in_place, [](surroundings& s) { when_all(s.before).get(); }},
      {"when_any", in_place,
       [](surroundings& s) {
         const auto slow = s.rt.async([] { std::this_thread::sleep_for(5ms); });
         when_any(slow, s.rt.async({.after = {slow}}, [] {})).get().which.get();
       }},
      {"scope", in_place,
       [](surroundings& s) {
         task_scope scope{s.rt};
         for (int i = 0; i < 3; ++i) scope.async([] {});
         scope.wait();
       }},
      {"scope_with_timeout", in_place,
       [](surroundings& s) {
         task_scope scope{s.rt, {.label = "scope", .timeout = 10s}};
         scope.async([&] { scope.async([] {}); });
         scope.wait();
       }},
      {"nested", in_place,
       [](surroundings& s) { s.rt.async([&] { s.rt.async([] {}).get(); }).get(); }},
      {"run_functions", in_place, [](surroundings& s) { s.rt.run(s.functions).get(); }},
      {"run_functions_after", in_place,
       [](surroundings& s) {
         s.rt.run({.label = "run", .after = {s.before[0], s.before[1]}}, s.functions).get();
       }},
      {"record_functions", in_place,
       [](surroundings& s) {
         s.rt.run(s.rt.record([](submitter& to) {
               const auto first = to.async([] { return 1; });
               to.async(std::vector{first, first}, [] {});
             }))
             .get();
       }},
  };
}

/// They may end the program.
std::vector<call> calls_with_data() {
  std::vector<call> made;
  for (const data_path path : {in_place, data_path::placed}) {
    const auto add = [&](const char* what, auto f) {
      made.push_back({what, path, std::move(f), true});
    };
    add("one_access", [](surroundings& s) { s.rt.submit(add_one, updates(s.data[0])).get(); });
    add("three_accesses", [](surroundings& s) {
      s.rt.submit(add_to, reads(s.data[0]), reads(s.data[1]), updates(s.data[2])).get();
    });
    add("chain_of_tasks", [](surroundings& s) {
      for (int i = 0; i < 4; ++i) s.rt.submit(add_one, updates(s.data[0]));
      s.rt.submit(add_to, reads(s.data[0]), reads(s.data[0]), updates(s.data[1]));
      s.rt.wait();
    });
    add("new_buffer", [](surroundings& s) {
      const buffer<int> own{s.rt, 100, "own"};
      s.rt.submit(ops::fill, 1, writes(own));
      (void)own.to_vector();
    });
    add("value_that_only_moves", [](surroundings& s) {
      auto added = std::make_unique<int>(1);
      const auto sum =
          s.rt.submit([a = std::move(added)](
                          buffer_view<const int> x) { return std::make_unique<int>(x[0] + *a); },
                      reads(s.data[0]));
      (void)sum.take();
    });
    add("memory_of_the_program", [](surroundings& s) {
      static std::vector<int> mine(100, 1);
      const buffer<int> own{s.rt, user_memory(mine).given_back([] {}), "own"};
      s.rt.submit(add_one, updates(own.rows(3, 4))).get();
      if (own.read()[3] < 2) throw std::logic_error("The memory is not the program's.");
    });
    add("row", [](surroundings& s) {
      s.rt.submit(add_one, updates(s.data[0].rows(1, 3)));
      s.rt.submit(add_one, updates(s.data[0].rows(2, 4)));
      s.rt.wait();
    });
    add("view", [](surroundings& s) { s.data[0].write()[0] = 1; });
    add("run_tasks", [](surroundings& s) { s.rt.run(s.tasks).get(); });
    add("run_tasks_twice", [](surroundings& s) {
      s.rt.run(s.tasks);
      s.rt.run({.after = {s.before[0]}}, s.tasks);
      s.rt.wait();
    });
    add("record_tasks", [](surroundings& s) {
      s.rt.run(s.rt.record([&](submitter& to) {
            to.submit(add_one, updates(s.data[0]));
            to.submit(add_to, reads(s.data[0]), reads(s.data[1]), updates(s.data[2]));
          }))
          .get();
    });
    add("run_if", [](surroundings& s) {
      s.rt.run_if(when([](buffer_view<const int> x) { return x[0] < 10; }, reads(s.data[0])),
                  s.tasks)
          .get();
    });
  }
  return made;
}

surroundings surround(runtime& rt) {
  std::vector<buffer<int>> data;
  std::vector<future<int>> before;
  for (int i = 0; i < 3; ++i) {
    data.emplace_back(rt, 4, "data");
    rt.submit(ops::fill, 0, writes(data.back()));
    before.push_back(rt.async([i] { return i; }));
  }
  const graph functions = rt.record([](submitter& to) {
    for (int i = 0; i < 3; ++i) to.async([] {});
  });
  const graph tasks = rt.record([&](submitter& to) {
    for (const buffer<int>& x : data) to.submit(add_one, updates(x));
  });
  return {rt, data, before, functions, tasks};
}

/// Everything works as if there had always been enough memory.
bool works(surroundings& s) {
  for (const buffer<int>& x : s.data) s.rt.submit(ops::fill, 1, writes(x)).get();
  s.rt.submit(add_one, updates(s.data[0])).get();
  s.rt.run(s.functions).get();
  s.rt.run(s.tasks).get();
  return s.rt.async([] { return 42; }).get() == 42 && s.data[0].to_vector()[0] == 3 &&
         s.data[2].to_vector()[0] == 2;
}

constexpr int goes_on = 0, has_enough = 1, is_broken = 2;  // how a process exits

/// Makes the call while its n-th allocation fails. Ends the process.
[[noreturn]] void make_without_memory(const call& what, int n) {
  ::alarm(100);  // a hang ends as well
  int code = is_broken;
  {
    runtime_options options;
    options.devices = "NUMA0";
    options.data_tasks = what.path;
    runtime rt{options};
    surroundings s = surround(rt);
    fail_after(n);
    try {
      what.make(s);
    } catch (const std::exception&) {
      // The call throws, or the task that lacked memory in this thread, or one behind it.
    }
    const bool did_fail = fail_no_more();
    try {
      rt.wait();
    } catch (const std::exception&) {
      // The failure of a task whose future was not waited for.
    }
    if (works(s)) code = did_fail ? goes_on : has_enough;
  }
  std::_Exit(code);
}

class no_host_memory : public ::testing::TestWithParam<call> {};

TEST_P(no_host_memory, any_allocation_may_fail) {
  int status = 0;
  int n = 0;
  do {
    SCOPED_TRACE("allocation " + std::to_string(n));
    const ::pid_t child = ::fork();
    ASSERT_NE(child, -1);
    if (child == 0) make_without_memory(GetParam(), n);
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) {
      EXPECT_TRUE(GetParam().may_end_program) << "killed by signal " << WTERMSIG(status);
      EXPECT_EQ(WTERMSIG(status), SIGABRT);
    } else {
      ASSERT_NE(WEXITSTATUS(status), is_broken);
    }
  } while (!(WIFEXITED(status) && WEXITSTATUS(status) == has_enough) && ++n < 1000);
  EXPECT_LT(n, 1000);
}

std::string name_of(const ::testing::TestParamInfo<call>& of) {
  const bool is_placed = of.param.path == data_path::placed;
  return std::string(of.param.name) + (is_placed ? "_placed" : "");
}

INSTANTIATE_TEST_SUITE_P(without_data, no_host_memory, ::testing::ValuesIn(calls_without_data()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(with_data, no_host_memory, ::testing::ValuesIn(calls_with_data()),
                         name_of);

/// A function that fails because memory is out, which is still so when its failure is explained.
void run_out_of_memory() {
  fail_always();
  throw std::bad_alloc();
}

future<void> run_out_of_memory_in(runtime& rt) {
  co_await rt.async([] {});
  run_out_of_memory();
}

struct failing_task {
  const char* name;
  /// Returns the task that fails.
  std::function<future<void>(surroundings&)> submit;
};

void PrintTo(const failing_task& t, std::ostream* out) { *out << t.name; }

std::vector<failing_task> failing_tasks() {
  return {
      {"function", [](surroundings& s) { return s.rt.async(run_out_of_memory); }},
      {"function_with_data",
       [](surroundings& s) {
         return s.rt.submit([](buffer_view<const int>) { run_out_of_memory(); }, reads(s.data[0]));
       }},
      {"function_that_writes",
       [](surroundings& s) {
         return s.rt.submit([](buffer_view<int>) { run_out_of_memory(); }, writes(s.data[0]));
       }},
      {"kernel_without_data",
       [](surroundings& s) {
         static const kernel<> fails{"fails", host_body{run_out_of_memory}};
         return s.rt.submit(fails);
       }},
      {"recorded_function",
       [](surroundings& s) {
         return future<void>(s.rt.run(s.rt.record(
             [](submitter& to) { to.async({.label = "recorded"}, run_out_of_memory); })));
       }},
      {"recorded_task",
       [](surroundings& s) {
         return future<void>(s.rt.run(s.rt.record([&s](submitter& to) {
           to.submit([](buffer_view<const int>) { run_out_of_memory(); }, reads(s.data[0]));
         })));
       }},
      {"coroutine", [](surroundings& s) { return run_out_of_memory_in(s.rt); }},
      {"task_behind_it",
       [](surroundings& s) {
         const auto first = s.rt.async({.label = "first"}, run_out_of_memory);
         return s.rt.async({.label = "second", .after = {first}}, [] {});
       }},
      {"task_that_reads_what_it_wrote",
       [](surroundings& s) {
         s.rt.submit([](buffer_view<int>) { run_out_of_memory(); }, writes(s.data[0]));
         return s.rt.submit(add_one, updates(s.data[0]));
       }},
  };
}

/// Ends the process. All runs in this thread, whose allocations fail.
[[noreturn]] void fail_without_memory(const failing_task& what) {
  ::alarm(100);  // a hang ends as well
  int code = is_broken;
  {
    runtime_options options;
    options.devices = "NUMA0";
    options.clock = clock_kind::simulated;
    options.data_tasks = data_path::in_place;
    runtime rt{options};
    surroundings s = surround(rt);
    rt.wait();
    const future<void> failing = what.submit(s);
    failing.wait();
    (void)fail_no_more();
    try {
      failing.get();
    } catch (const std::bad_alloc&) {
      code = goes_on;
    }
    if (!works(s)) code = is_broken;
  }
  std::_Exit(code);
}

class no_memory_to_explain : public ::testing::TestWithParam<failing_task> {};

TEST_P(no_memory_to_explain, is_a_failure_that_keeps_bad_alloc) {
  const ::pid_t child = ::fork();
  ASSERT_NE(child, -1);
  if (child == 0) fail_without_memory(GetParam());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_FALSE(WIFSIGNALED(status)) << "killed by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), goes_on);
}

INSTANTIATE_TEST_SUITE_P(, no_memory_to_explain, ::testing::ValuesIn(failing_tasks()),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace

}  // namespace hocket::testing
