// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// `hocket simulate`: examples on machines that there are not.

#include <gmock/gmock.h>

#include <fstream>
#include <string>

#include <boost/json.hpp>

#include "child_program.hpp"

namespace simulate_test {

using hocket::testing::arguments;
using hocket::testing::content_of;
using hocket::testing::outcome;
using hocket::testing::running;
using hocket::testing::scratch_folder;
using hocket::testing::operator+;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace {

outcome simulate(const arguments& options) {
  return running(HOCKET, arguments{"simulate"} + options).end();
}

void expect_no_run(const arguments& options, int exit_code, const std::string& part) {
  const outcome ended = simulate(options);
  EXPECT_EQ(ended.exit_code, exit_code);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, StartsWith("hocket: "));
  EXPECT_THAT(ended.err, HasSubstr(part));
}

TEST(Simulate, RunsAProgramOnAMachine) {
  const outcome ended = simulate({"4xa100-pcie", "--summary", HELLO});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.out, "4.1943e+06\n");
  EXPECT_THAT(ended.err, HasSubstr("Sim4"));
  EXPECT_THAT(ended.err, HasSubstr("4 kernels in 0.384 ms"));
  EXPECT_EQ(ended.err, simulate({"4xa100-pcie", "--summary", HELLO}).err);
}

TEST(Simulate, TakesAMachineFileAndWritesATrace) {
  const scratch_folder folder;
  std::ofstream(folder / "m.json") << R"({"machine": "m", "devices": [{"flops": "1G"}]})";
  const std::string trace = folder / "t.json";
  const outcome ended = simulate({"--trace", trace, folder / "m.json", HELLO});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  const auto made = boost::json::parse(content_of(trace)).as_object();
  EXPECT_EQ(made.at("hocket").at("devices").as_array().size(), 1U);
  EXPECT_TRUE(made.at("hocket").at("virtual").as_bool());
}

TEST(Simulate, EndsAsTheProgramDoes) {
  const outcome ended = simulate({"laptop-igpu", "sh", "-c", "echo $HOCKET_CLOCK; exit 7"});
  EXPECT_EQ(ended.exit_code, 7);
  EXPECT_EQ(ended.out, "simulated\n");
  const outcome timed =
      simulate({"laptop-igpu", "--timed", "--no-execute", "--policy", "random", "sh", "-c",
                "echo $HOCKET_BACKEND_SIM $HOCKET_CLOCK $1", "", "--a"});
  EXPECT_EQ(timed.out, "machine=laptop-igpu,execute=no real --a\n");
}

TEST(Simulate, WhatAProgramSaysWins) {
  const outcome ended = simulate({"4xa100-pcie", "--summary", STENCIL, "--machine", "laptop-igpu",
                                  "--steps", "1", "--rows", "64", "--columns", "64"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("virtual clock of laptop-igpu"));
}

TEST(Simulate, RefusesWrongUse) {
  constexpr int wrong_use = 2, no_program = 126, not_found = 127;
  expect_no_run({"4xa100", HELLO}, wrong_use, "\"4xa100\" is neither a file");
  expect_no_run({"4xa100-pcie"}, wrong_use, "needs a PROGRAM");
  expect_no_run({"4xa100-pcie", "--colour", HELLO}, wrong_use, "no option \"--colour\"");
  expect_no_run({"4xa100-pcie", "--policy", "best", HELLO}, wrong_use, "--policy is \"best\"");
  expect_no_run({}, wrong_use, "machine");
  expect_no_run({"4xa100-pcie", "/nowhere/hello"}, not_found, "\"/nowhere/hello\" cannot be run");
  expect_no_run({"4xa100-pcie", "/"}, no_program, "cannot be run");
  const scratch_folder folder;
  std::ofstream(folder / "bad.json") << R"({"machine": "m", "devices": [{"flop": "1G"}]})";
  expect_no_run({folder / "bad.json", HELLO}, wrong_use, "flop");
}

TEST(Simulate, TellsWhatIsWrongInTheEnvironment) {
  const outcome clock = running("/usr/bin/env", {"HOCKET_CLOCK=lunar", STENCIL}).end();
  EXPECT_EQ(clock.exit_code, 2);
  EXPECT_THAT(clock.err, HasSubstr("HOCKET_CLOCK is \"lunar\""));
  const outcome trace = simulate({"laptop-igpu", "--trace", "/nowhere/trace.json", HELLO});
  EXPECT_EQ(trace.exit_code, 0) << "the program did what it had to";
  EXPECT_THAT(trace.err, HasSubstr("\"/nowhere/trace.json\" cannot be opened"));
}

}  // namespace

}  // namespace simulate_test
