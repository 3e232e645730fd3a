// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace examples_test {

boost::json::object report_of(const std::string& program, const arguments& options) {
  const outcome ended = running(program, options + arguments{"--json", "-"}).end();
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  if (ended.exit_code != 0) return {};
  return boost::json::parse(ended.out).as_object();
}

void expect_end(const std::string& program, const arguments& options, int exit_code,
                const std::string& part) {
  const outcome ended = running(program, options).end();
  EXPECT_EQ(ended.exit_code, exit_code) << part;
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, testing::HasSubstr(part));
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
}

void expect_wrong_use_is_refused(const std::string& program, const arguments& options) {
  constexpr int wrong_use = 2;
  expect_end(program, options + arguments{"--devices", "NUMA0,Sim7"}, wrong_use, "\"Sim7\"");
  expect_end(program, options + arguments{"--machine", "no-such-machine"}, wrong_use,
             "no-such-machine");
  expect_end(program, options + arguments{"--policy", "no-such-policy"}, wrong_use, "earliest-end");
  expect_end(program, options + arguments{"--no-such-option"}, wrong_use, "--help");
  for (const std::string name : {"--devices", "--machine", "--policy", "--json"}) {
    expect_end(program, options + arguments{name, ""}, wrong_use, name + " is \"\"");
  }
  const outcome ended = running(program, options + arguments{"--json", "/dev/full"}).end();
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.err, testing::HasSubstr("No space left"));
  for (const char* lost : {"2>/dev/full", "2>&-"}) {
    EXPECT_EQ(run_redirected(program, options + arguments{"--no-such-option"}, lost).exit_code,
              wrong_use);
    const outcome printed = run_redirected(program, options + arguments{"--json", "-"}, lost);
    EXPECT_EQ(printed.exit_code, 0);
    EXPECT_THAT(printed.out, testing::StartsWith("{"));
  }
  EXPECT_EQ(run_redirected(program, options, "<&- >&- 2>&-").exit_code, 1);
  EXPECT_EQ(run_redirected(program, {"--help"}, ">/dev/full").exit_code, 1);
}

double sum_over_devices(const boost::json::object& report, const std::string& key) {
  double sum = 0;
  for (const auto& device : report.at("devices").as_array()) {
    sum += device.at(key).to_number<double>();
  }
  return sum;
}

}  // namespace examples_test
