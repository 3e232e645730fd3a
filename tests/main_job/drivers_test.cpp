// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <hocket/scheduler/runtime.hpp>

#include "program.hpp"

namespace main_job {

namespace {

/// The names of the devices that drivers have, by backend.
std::map<std::string, std::vector<std::string>> devices_of_drivers() {
  std::map<std::string, std::vector<std::string>> found;
  hocket::runtime rt({.backends = {{"opencl", "sub-devices=2"}}});
  for (const hocket::device_info& each : rt.devices()) {
    if (each.backend != "cpu" && each.backend != "sim") found[each.backend].push_back(each.name);
  }
  return found;
}

boost::json::object trained(const scratch_folder& folder, const arguments& how) {
  return report_of(small_job(folder) + how);
}

TEST(Drivers, AreUsedUnlessSomethingElseIsAskedFor) {
  const auto drivers = devices_of_drivers();
  if (drivers.empty()) GTEST_SKIP() << "No driver has a device on this machine.";
  const scratch_folder folder;
  const boost::json::object report = trained(folder, {});
  EXPECT_EQ(report.at("clock").as_string(), "real");
  std::set<std::string> kinds;
  for (const auto& device : report.at("devices").as_array()) {
    kinds.insert(std::string(device.at("kind").as_string()));
    EXPECT_GE(device.at("flops_share").as_double(), 0.1);
  }
  EXPECT_TRUE(kinds.contains("cpu"));
  for (const auto& [backend, names] : drivers) EXPECT_TRUE(kinds.contains(backend)) << backend;
}

class AllDevices : public testing::TestWithParam<const char*> {};

TEST_P(AllDevices, GiveTheSameBitsUnderEverySchedule) {
  const auto drivers = devices_of_drivers();
  if (drivers.empty()) GTEST_SKIP() << "No driver has a device on this machine.";
  std::string devices = "NUMA0";
  std::string hidden;
  for (const auto& [backend, names] : drivers) {
    for (const std::string& name : names) {
      devices += "," + name;
      hidden += hidden.empty() ? "32" : ",32";
    }
  }
  const scratch_folder folder;
  std::set<std::string> hashes;
  for (const char* schedule : {"none", "gpipe", "1f1b"}) {
    const boost::json::object report =
        report_of(small_job(folder, {.hidden = hidden}) +
                  arguments{"--schedule", schedule, "--clock", "real", "--devices", devices,
                            "--backend", "opencl=sub-devices=2", "--memory", GetParam()});
    hashes.insert(std::string(report.at("weights_hash").as_string()));
  }
  EXPECT_EQ(hashes.size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(, AllDevices, testing::Values("shared", "private"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace

}  // namespace main_job
