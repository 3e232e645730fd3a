// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// `hocket explain`: traces of runs on simulated devices, whose times are known, and of real ones.

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>

#include <boost/json.hpp>

#include <hocket/hocket.hpp>

#include "child_program.hpp"

namespace explain_test {

namespace {

using namespace hocket;
using hocket::testing::arguments;
using hocket::testing::content_of;
using hocket::testing::outcome;
using hocket::testing::running;
using hocket::testing::scratch_folder;
using hocket::testing::operator+;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Explain : public ::testing::Test {
 protected:
  /// Some milliseconds at 1 GFLOP/s.
  template <class... Parameters>
  static kernel<Parameters...> costly(const std::string& name, double milliseconds) {
    return kernel<Parameters...>{name, host_body{[](const auto&...) {}}}.cost(
        [milliseconds](const launch_shape&) {
          return launch_work{1e6 * milliseconds, 0};
        });
  }

  /// One buffer on a slow device, which a chain of tasks updates, and one of its own on a fast one.
  [[nodiscard]] std::string trace_of_two_devices() const {
    runtime rt{{.devices = "Sim0,Sim1",
                .backends = {{"sim", "1,flops=1G,shared=yes;1,flops=4G,link=1G"}},
                .clock = clock_kind::simulated,
                .trace_capacity = 100,
                .trace_decisions = true}};
    const buffer<float> x{rt, 250'000, "x"}, y{rt, 1000, "y"};
    rt.submit({.on = rt.device("Sim0"), .label = "begin"}, costly<out_buffer<float>>("slow", 10),
              writes(x));
    rt.submit({.label = "fast"}, costly<out_buffer<float>>("quick", 4), writes(y));
    rt.submit({.label = "next"}, costly<inout_buffer<float>>("step", 10), updates(x));
    rt.submit({.label = "last"}, costly<in_buffer<float>, inout_buffer<float>>("both", 2), reads(y),
              updates(x));
    (void)x.read();
    write_trace(rt.trace(), trace());
    return trace();
  }

  static outcome explain(const arguments& options) {
    return running(HOCKET, arguments{"explain"} + options).end();
  }
  static std::string text_of(const arguments& options) {
    const outcome ended = explain(options);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    return ended.out;
  }
  static void expect_refused(const arguments& options, int exit_code, const std::string& part) {
    const outcome ended = explain(options);
    EXPECT_EQ(ended.exit_code, exit_code);
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, StartsWith("hocket: "));
    EXPECT_THAT(ended.err, HasSubstr(part));
  }
  void expect_bad_file(const std::string& content, const std::string& part) const {
    std::ofstream(folder_ / "bad.json", std::ios::binary) << content;
    expect_refused({folder_ / "bad.json"}, 1, part);
  }

  [[nodiscard]] std::string trace() const { return folder_ / "trace.json"; }

 private:
  scratch_folder folder_;
};

/// Labels may have any bytes; JSON may not.
TEST_F(Explain, ReadsTracesWhoseLabelsAreNoText) {
  runtime rt{{.devices = "Sim0",
              .backends = {{"sim", "1,flops=1G"}},
              .clock = clock_kind::simulated,
              .trace_capacity = 100,
              .trace_decisions = true}};
  const std::string bad = "\xFF\xFE \xED\xA0\x80 \xC3\xA4 cut \xE2\x82";
  const buffer<float> x{rt, 1000, bad};
  rt.submit({.label = bad}, costly<out_buffer<float>>("odd \xC0", 10), writes(x));
  rt.async({.label = bad}, [] {}).get();
  (void)x.read();
  write_trace(rt.trace(), trace());
  const std::string mark = "\xEF\xBF\xBD";
  const std::string shown = mark + mark + " " + mark + mark + mark + " \xC3\xA4 cut " + mark + mark;
  EXPECT_THAT(text_of({trace()}), HasSubstr(shown));
  EXPECT_THAT(text_of({trace(), "--json"}), HasSubstr(shown));
}

TEST_F(Explain, TellsOfTheWholeRun) {
  EXPECT_EQ(text_of({trace_of_two_devices()}),
            R"(5 tasks and 2 copies by the policy "replanning", on the virtual clock.
Makespan 14 ms, 1.08 times the bound (area 5.2 ms, critical path 13 ms).

DEVICE  KERNELS  BUSY  IN         OUT        IDLE: NO TASK  DATA  MEMORY  OTHER DEVICE  TURN
Sim0    1        71 %  976.6 KiB  976.6 KiB  5 ms           0 us  0 us    0 us          0 us
Sim1    3        29 %  976.6 KiB  976.6 KiB  10 ms          1 ms  0 us    0 us          0 us

Devices were chosen: 3 by the policy, 1 named by their options.

What the end of the run waited for: tasks 13 ms, copies 1 ms, gaps 0 us.
AT       TOOK    AFTER A GAP OF  BEHIND           WHERE         WHAT
0 us     10 ms                   its turn         Sim0          begin (2)
10 ms    1 ms                    tasks before it  host to Sim1  copy of 976.6 KiB of "x"
11 ms    2.5 ms                  data             Sim1          next (4)
13.5 ms  500 us                  tasks before it  Sim1          last (5)

WAITED LONGEST FOR  TASK      DEVICE  TIME
tasks before it     last (5)  Sim1    13.5 ms
data                next (4)  Sim1    1 ms
)");
}

TEST_F(Explain, TellsOfOneTask) {
  EXPECT_EQ(text_of({trace_of_two_devices(), "--task", "next"}),
            R"(Task                        next (4)
kernel                      step
device                      Sim1: it ends there first; Sim0 would end 6.5 ms later
submitted                   0 us
ready                       10 ms
device chosen               10 ms
committed                   11 ms
issued                      11 ms
began                       11 ms
ended                       13.5 ms
took                        2.5 ms, predicted 2.5 ms
waited for tasks before it  10 ms
waited for data             1 ms
came after                  begin (2)

Candidates, by what was predicted when it was chosen:
   DEVICE  RUNS    DATA THERE  ENDS    TO COPY    LINKS  STAYING  PRICE  SUM
   Sim0    10 ms   0 us        10 ms   0          0 us   1 ms     0 us   11 ms
*  Sim1    2.5 ms  1 ms        3.5 ms  976.6 KiB  0 us   0 us     0 us   3.5 ms

USES              BYTES      REGION
updates  "x" (0)  976.6 KiB  all
)");
}

TEST_F(Explain, SimulatesTheRunAgain) {
  EXPECT_EQ(text_of({trace_of_two_devices(), "--what-if"}),
            R"(The run took 14 ms, and 14 ms when it is simulated again: 1.000 times that.
The farther this is from 1, the less is the rest worth.

WHAT IF                        MAKESPAN  TO AS IT WAS
as it was                      14 ms     1.000
one more Sim0                  14 ms     1.000
links twice as fast            13.5 ms   0.964
copies that take no time       13 ms     0.929
the best policy, which it has  14 ms     1.000
)");
}

TEST_F(Explain, SimulatesLinksThatDevicesShare) {
  const outcome run =
      running(HOCKET, {"simulate", "--trace", trace(), "4xa100-pcie", STENCIL, "--rows", "256",
                       "--columns", "256", "--tile", "64", "--steps", "2"})
          .end();
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto answer = boost::json::parse(text_of({trace(), "--json", "--what-if"}));
  EXPECT_EQ(answer.at("recorded"), answer.at("runs").at(0).at("makespan"));
}

TEST_F(Explain, LeavesOutWhatFailed) {
  {
    runtime rt{{.devices = "Sim0",
                .backends = {{"sim", "1,flops=1G,shared=yes"}},
                .clock = clock_kind::simulated,
                .trace_capacity = 100,
                .trace_decisions = true}};
    const buffer<float> x{rt, 1000, "x"}, y{rt, 1000, "y"};
    rt.submit({.label = "good"}, costly<out_buffer<float>>("fill", 1), writes(y));
    const auto bad = kernel<out_buffer<float>>{
        "bad", host_body{[](const auto&...) { throw std::runtime_error("no"); }}};
    rt.submit(bad, writes(x)).wait();
    rt.submit({.label = "behind"}, costly<inout_buffer<float>>("step", 1), updates(x)).wait();
    write_trace(rt.trace(), trace());
  }
  EXPECT_THAT(text_of({trace(), "--task", "behind"}), HasSubstr("failed"));
  EXPECT_THAT(text_of({trace()}), HasSubstr("tasks 1 ms"));
  EXPECT_THAT(text_of({trace(), "--what-if"}), HasSubstr("The run took 1 ms, and 1 ms when"));
}

TEST_F(Explain, WritesJson) {
  const std::string file = trace_of_two_devices();
  const auto run = boost::json::parse(text_of({file, "--json"})).as_object();
  EXPECT_EQ(run.at("makespan").to_number<int>(), 14'000'000);
  EXPECT_EQ(run.at("path").as_array().size(), 4U);
  EXPECT_EQ(run.at("path").at(1).at("copy_of").to_number<int>(), 0);
  const auto task = boost::json::parse(text_of({file, "--json", "--task", "last"}));
  EXPECT_EQ(task.at("tasks").at(0).at("device").as_string(), "Sim1");
  const auto answer = boost::json::parse(text_of({file, "--json", "--what-if"}));
  EXPECT_EQ(answer.at("recorded"), answer.at("runs").at(0).at("makespan"));
}

TEST_F(Explain, RefusesWrongUse) {
  const std::string file = trace_of_two_devices();
  expect_refused({}, 2, "trace");
  expect_refused({file, "--task", "nobody"}, 2, "no task with that name or id");
  expect_refused({"/nowhere/trace.json"}, 1, "cannot be read");
  expect_refused({"/"}, 1, "cannot be read");
  expect_refused({file, "--task", "next", "--what-if"}, 2, "--what-if");
  std::filesystem::resize_file(file, std::uintmax_t{1} << 31U);  // sparse
  expect_refused({file}, 1, "has 2147483648 bytes; at most 1073741824 can be read");
}

TEST_F(Explain, RefusesForeignFiles) {
  expect_bad_file("", "no whole JSON");
  expect_bad_file("[1, 2]", "says nothing of decisions");
  expect_bad_file(R"({"traceEvents": []})", "says nothing of decisions");
  expect_bad_file(R"({"hocket": 3})", "is no object");
  expect_bad_file(R"({"hocket": {"version": 2}})", "has version 2; this program reads version 1");
  expect_bad_file(std::string(1000, '['), "no whole JSON");
}

TEST_F(Explain, SurvivesDamagedFiles) {
  const std::string whole = content_of(trace_of_two_devices());
  const std::size_t own = whole.find("\"hocket\"");
  std::mt19937 random(7);
  for (int i = 0; i < 24; ++i) {
    std::string damaged = whole;
    if (i % 3 == 0) {
      damaged.resize(random() % whole.size());
    } else {
      // Mostly digits, which leave it JSON.
      for (int changes = 0; changes <= i % 7; ++changes) {
        char& at = damaged[own + random() % (whole.size() - own)];
        at = at >= '0' && at <= '9' ? static_cast<char>('0' + random() % 10) : at;
        if (i % 5 == 0) at = static_cast<char>(random() % 256);
      }
    }
    std::ofstream(trace(), std::ios::binary) << damaged;
    const outcome ended = explain({trace(), i % 2 == 0 ? "--what-if" : "--json"});
    EXPECT_LT(ended.exit_code, 2) << ended.err << damaged;
    EXPECT_EQ(ended.err.empty(), ended.exit_code == 0) << ended.err;
  }
}

TEST_F(Explain, TellsOfRealDevices) {
  const outcome run =
      running("/usr/bin/env", {"HOCKET_BACKENDS=cpu,opencl", "HOCKET_TRACE=" + trace(), STENCIL,
                               "--rows", "256", "--columns", "256", "--tile", "64", "--steps", "4"})
          .end();
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(text_of({trace()}), HasSubstr("on the real clock"));
  EXPECT_THAT(text_of({trace(), "--task", "step"}), HasSubstr("Candidates"));
  EXPECT_THAT(text_of({trace(), "--what-if"}), HasSubstr("one more "));
}

TEST(TraceFile, ThatCannotBeWrittenIsNamedOnOneLine) {
  try {
    write_trace({}, "/dev/null/no\x1b\nfolder");
    ADD_FAILURE() << "it is written";
  } catch (const error& e) {
    EXPECT_THAT(e.what(), HasSubstr("Trace file \"/dev/null/no??folder\" cannot be opened: "));
  }
}

}  // namespace

}  // namespace explain_test
