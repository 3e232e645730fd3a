// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "surroundings.hpp"

namespace hocket::testing {

/// A fault of a fake driver, and what comes of it.
struct bad_driver {
  const char* fault;
  std::vector<std::string> said;  ///< in any order, among others
  std::vector<std::string> never_said = {};
  std::string configuration = "";  ///< of the backend
  int spared = 0;                  ///< calls that go well before
};

inline std::string fault_name(const ::testing::TestParamInfo<bad_driver>& info) {
  std::string name = *info.param.fault == '\0' ? "none" : info.param.fault;
  if (!info.param.configuration.empty()) name += " with " + info.param.configuration;
  if (info.param.spared > 0) name += " after " + std::to_string(info.param.spared);
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

/// The program that uses every device, where a fake driver has the fault.
inline outcome use_devices(const surroundings& around, const std::string& backend,
                           const bad_driver& how) {
  const std::string arguments = how.configuration.empty() ? "" : backend + " " + how.configuration;
  return around.run(USE_DEVICES, arguments,
                    "HOCKET_FAKE_FAULT='" + std::string(how.fault) +
                        "' HOCKET_FAKE_SPARED=" + std::to_string(how.spared));
}

/// Every device was used; whatever came of that, the host works, and the program ends well.
inline void expect_usable(const outcome& ended, const bad_driver& how) {
  using ::testing::HasSubstr;
  EXPECT_EQ(ended.exit_code, 0) << ended.said;
  for (const char* line : {"NUMA0 first works", "NUMA0 then works", "unpinned: 0 wrong",
                           "chains: 0 wrong", "ends well"}) {
    EXPECT_THAT(ended.said, HasSubstr(line));
  }
  for (const std::string& part : how.said) EXPECT_THAT(ended.said, HasSubstr(part));
  for (const std::string& part : how.never_said) {
    EXPECT_THAT(ended.said, ::testing::Not(HasSubstr(part)));
  }
}

}  // namespace hocket::testing
