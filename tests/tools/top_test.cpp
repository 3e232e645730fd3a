// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// `hocket top`: what it shows of runtimes that export their counters.

#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <hocket/devices/counter_files.hpp>
#include <hocket/hocket.hpp>

#include "child_program.hpp"

namespace top_test {

using hocket::counter_file;
using hocket::testing::arguments;
using hocket::testing::outcome;
using hocket::testing::running;
using hocket::testing::scratch_folder;
using hocket::testing::operator+;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

namespace {

namespace json = boost::json;

/// A folder of counters, where a test writes those of a program that does what the test wants.
class Top : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path folder() const { return root_ / "hocket"; }
  [[nodiscard]] arguments line(const arguments& options) const {
    return arguments{"-u", "NO_COLOR", "XDG_RUNTIME_DIR=" + root_ / "", HOCKET, "top"} + options;
  }
  [[nodiscard]] outcome top(const arguments& options) const {
    return running("/usr/bin/env", line(options)).end();
  }
  [[nodiscard]] json::object device_of(const arguments& options) const {
    const outcome ended = top(options + arguments{"--json"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    const json::value all = json::parse(ended.out);
    return all.at("runtimes").at(0).at("devices").at(0).as_object();
  }

  /// The counters of a device with two lanes, at a time in seconds.
  static std::string counters(double time, int kernels, double busy, int in_flight) {
    const auto nanoseconds = [](double seconds) {
      return static_cast<std::uint64_t>(seconds * 1e9);
    };
    return fmt::format(
        R"({{"hocket_counters": 1, "program": "a program", "now_ns": {}, "ended": {}, )"
        R"("pending": 3, "placed": true, "devices": [{{"name": "Sim0", "backend": "sim", )"
        R"("lanes": 2, "alive": true, "kernels": {}, "busy_ns": {}, "bytes_in": {}, )"
        R"("bytes_out": 0, "used_bytes": 1048576, "memory_bytes": 4194304, "queued": 5, )"
        R"("in_flight": {}}}]}})",
        nanoseconds(time), kernels, kernels, nanoseconds(busy), kernels * 1024, in_flight);
  }

  /// The device as top prints it if the counters change while the command waits.
  [[nodiscard]] json::object device_between(const std::string& first,
                                            const std::string& second) const {
    counter_file file(folder(), 1);
    file.write(first);
    std::atomic<bool> ended{false};
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      if (!ended) file.write(second);
    });
    const json::object made = device_of({"--interval", "1"});
    ended = true;
    later.join();
    return made;
  }

 private:
  scratch_folder root_;
};

double number(const json::object& of, const char* key) { return of.at(key).to_number<double>(); }

TEST_F(Top, SaysHowToExportCountersIfNoProgramDoes) {
  const outcome ended = top({});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, StartsWith("hocket: No running program writes its counters to \""));
  EXPECT_THAT(ended.err, HasSubstr("HOCKET_TOP=1"));
  EXPECT_THAT(ended.err, HasSubstr("runtime_options::export_counters"));
}

TEST_F(Top, PrintsATableWithARowForEachDevice) {
  counter_file first(folder(), 1), second(folder(), 2);
  first.write(counters(10, 100, 5, 0));
  second.write(counters(10, 100, 5, 0));
  const outcome ended = top({"--interval", "0.25"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_THAT(ended.out, StartsWith("DEVICE "));
  const std::string process = std::to_string(::getpid());
  EXPECT_THAT(ended.out, HasSubstr("\n" + process + " a program: 10 tasks/s, 3 pending\n"));
  EXPECT_THAT(ended.out, HasSubstr("\n" + process + " a program, runtime 2: 10 tasks/s"));
  EXPECT_THAT(ended.out,
              ContainsRegex("\n  Sim0 +25 % +10 +5 +0 +1 MiB of 4 MiB +10 KiB/s +0 B/s\n"));
  EXPECT_THAT(ended.out, Not(HasSubstr("\x1b"))) << "no page but on a terminal";
}

TEST_F(Top, ShowsTheStateOfADeviceThatIsOutOfUse) {
  std::string draining = counters(10, 100, 5, 0);
  draining.replace(draining.find(R"("alive": true)"), 13, R"("alive": true, "state": "draining")");
  counter_file file(folder(), 1);
  file.write(draining);
  const outcome ended = top({"--interval", "0.25"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, ContainsRegex("\n  Sim0 \\(draining\\) +25 %"));
  EXPECT_EQ(device_of({"--interval", "0.25"}).at("state"), "draining");
}

TEST_F(Top, HasRatesOfTheLastInterval) {
  const json::object seen = device_between(counters(10, 100, 5, 0), counters(12, 300, 7, 1));
  EXPECT_EQ(number(seen, "busy"), 0.5) << "two seconds on two lanes";
  EXPECT_EQ(number(seen, "kernels_per_second"), 100);
  EXPECT_EQ(number(seen, "bytes_in_per_second"), 100 * 1024);
  EXPECT_EQ(number(seen, "in_flight"), 1);
}

TEST_F(Top, LongKernelsAreBusyWhileTheyRunAndNotBeyondWhenTheyEnd) {
  const json::object during = device_between(counters(10, 100, 5, 1), counters(11, 100, 5, 1));
  EXPECT_EQ(number(during, "busy"), 0.5) << "one of two lanes";
  const json::object idle = device_between(counters(10, 100, 5, 1), counters(11, 100, 5, 0));
  EXPECT_EQ(number(idle, "busy"), 0);
  const json::object end = device_between(counters(10, 100, 5, 1), counters(11, 101, 65, 0));
  EXPECT_EQ(number(end, "busy"), 1) << "a minute of a kernel that ends in one second";
}

TEST_F(Top, ShowsOneProcess) {
  counter_file file(folder(), 1);
  file.write(counters(10, 100, 5, 0));
  const std::string process = std::to_string(::getpid());
  EXPECT_EQ(top({"--once", "--interval", "0.25", "--pid", process}).exit_code, 0);
  const outcome other = top({"--pid", "1"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, HasSubstr("Process 1 is none that writes its counters"));
}

TEST_F(Top, LeavesOutWhatItCannotRead) {
  counter_file damaged(folder(), 1), newer(folder(), 2), good(folder(), 3);
  damaged.write("{\"hocket_counters\": 1, ");
  newer.write("{\"hocket_counters\": 2}");
  good.write(counters(10, 100, 5, 0));
  const outcome ended = top({"--interval", "0.25"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.out, HasSubstr("runtime 3"));
  EXPECT_THAT(ended.out, Not(HasSubstr("runtime 2")));
  EXPECT_THAT(ended.err, HasSubstr("another version of Hocket"));
}

TEST_F(Top, RefusesWrongUse) {
  for (const arguments& each :
       {arguments{"--interval", "0"}, arguments{"--pid", "me"}, arguments{"--colour"}}) {
    const outcome ended = top(each);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_THAT(ended.err, HasSubstr(each.front()));
  }
}

TEST_F(Top, EndsWhenItIsInterrupted) {
  counter_file file(folder(), 1);
  file.write(counters(10, 100, 5, 0));
  running shown("/usr/bin/env", line({"--interval", "100"}));
  std::this_thread::sleep_for(std::chrono::seconds(2));
  shown.interrupt();
  EXPECT_EQ(shown.end().exit_code, 130);
}

TEST_F(Top, ShowsAProgramThatRuns) {
  const outcome ended =
      running("/bin/sh",
              {"-c", fmt::format("export XDG_RUNTIME_DIR='{0}' HOCKET_TOP=1; '{1}' --steps 1000000 "
                                 "--rows 256 --columns 256 --devices NUMA0 >/dev/null & "
                                 "for i in $(seq 200); do "
                                 "ls '{0}'/hocket/$!.* >/dev/null 2>&1 && break; sleep 0.1; done; "
                                 "sleep 1; '{2}' top --json --pid $!; kill -9 $!; wait",
                                 folder().parent_path().string(), STENCIL, HOCKET)})
          .end();
  const json::value all = json::parse(ended.out);
  const json::object runtime = all.at("runtimes").at(0).as_object();
  EXPECT_EQ(runtime.at("program").as_string(), "stencil");
  EXPECT_EQ(runtime.at("devices").at(0).at("name").as_string(), "NUMA0");
  EXPECT_GT(number(runtime, "tasks_per_second"), 0);
  // The process was killed, and its file is found and removed.
  EXPECT_EQ(top({}).exit_code, 1);
  EXPECT_TRUE(std::filesystem::is_empty(folder()));
}

}  // namespace

}  // namespace top_test
