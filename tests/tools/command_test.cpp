// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>

#include <boost/json.hpp>

#include <hocket/devices/cost_store.hpp>
#include <hocket/devices/sim.hpp>

namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

struct outcome {
  int exit_code = 0;
  std::string out;
  std::string err;
};

class HocketCommand : public testing::Test {
 protected:
  HocketCommand() {
    std::string name = (fs::temp_directory_path() / "hocket_command_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
  }
  ~HocketCommand() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  /// Runs the command by the shell; variables are assignments that stand before it.
  outcome run(const std::string& arguments, const std::string& variables = "") const {
    const fs::path out = folder_ / "out", err = folder_ / "err";
    const std::string line = "env -u HOCKET_VISIBLE_DEVICES -u HWLOC_SYNTHETIC " + variables +
                             " '" HOCKET "' " + arguments + " >'" + out.string() + "' 2>'" +
                             err.string() + "'";
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content_of(out),
            content_of(err)};
  }

  boost::json::object json_of(const std::string& arguments,
                              const std::string& variables = "") const {
    const outcome ended = run(arguments, variables);
    EXPECT_EQ(ended.err, "");
    return boost::json::parse(ended.out).as_object();
  }

  /// It fails with one line on standard error, and nothing on standard output.
  void expect_refused(const outcome& ended, int exit_code, const std::string& part) const {
    EXPECT_EQ(ended.exit_code, exit_code);
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, StartsWith("hocket: "));
    EXPECT_THAT(ended.err, HasSubstr(part));
    EXPECT_EQ(ended.err.find('\n') + 1, ended.err.size()) << ended.err;
  }

  const fs::path& folder() const { return folder_; }

 private:
  static std::string content_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path folder_;
};

TEST_F(HocketCommand, ListsDevices) {
  const outcome ended = run("devices --sim 2,memory=64M");
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_THAT(ended.out, StartsWith("NAME"));
  EXPECT_THAT(ended.out, HasSubstr("\nNUMA0 "));
  EXPECT_THAT(ended.out, HasSubstr("\nSim0 "));
  EXPECT_THAT(ended.out, HasSubstr("\nSim1 "));
  EXPECT_THAT(ended.out, HasSubstr("64 MiB"));
  EXPECT_THAT(ended.out, Not(HasSubstr("\x1b"))) << "no colours but on a terminal";
}

TEST_F(HocketCommand, ListsDevicesAsJson) {
  const auto devices =
      json_of("devices --json --sim 1,memory=64M,lanes=3").at("devices").as_array();
  const auto& last = devices.back().as_object();
  EXPECT_EQ(last.at("name").as_string(), "Sim0");
  EXPECT_EQ(last.at("backend").as_string(), "sim");
  EXPECT_EQ(last.at("lanes").to_number<int>(), 3);
  EXPECT_EQ(last.at("memory_bytes").to_number<std::uint64_t>(), std::uint64_t{64} << 20U);
  EXPECT_EQ(last.at("formats").as_array().at(0).as_string(), "host");
  EXPECT_EQ(last.at("host_memory").as_string(), "copied");
  EXPECT_THAT(std::string(last.at("description").as_string()), Not(IsEmpty()));
  EXPECT_EQ(devices.front().as_object().at("host_memory").as_string(), "shared");
}

TEST_F(HocketCommand, ListsTheDevicesThatAreAskedFor) {
  const auto named =
      json_of("devices --json --sim 3 --devices Sim2,NUMA0").at("devices").as_array();
  ASSERT_EQ(named.size(), 2U);
  EXPECT_EQ(named[0].as_object().at("name").as_string(), "Sim2");
  const auto visible =
      json_of("devices --json --sim 3", "HOCKET_VISIBLE_DEVICES=Sim1").at("devices").as_array();
  ASSERT_EQ(visible.size(), 1U);
  EXPECT_EQ(visible[0].as_object().at("name").as_string(), "Sim1");
}

TEST_F(HocketCommand, RefusesUnknownDevices) {
  expect_refused(run("devices --devices Vulkan9"), 2, "there is no \"Vulkan9\"; the devices are: ");
  expect_refused(run("devices", "HOCKET_VISIBLE_DEVICES=Vulkan9"), 2,
                 "HOCKET_VISIBLE_DEVICES is \"Vulkan9\"; there is no \"Vulkan9\"");
  expect_refused(run("devices --sim banana"), 2, "\"banana\"");
}

TEST_F(HocketCommand, RefusesWrongUse) {
  expect_refused(run(""), 2, "--help");
  expect_refused(run("dance"), 2, "no command \"dance\"; there are devices, ");
  expect_refused(run("devices --colour"), 2, "--colour");
  expect_refused(run("torture --minutes nan"), 2, "--minutes");
  expect_refused(run("torture --seeds 0"), 2, "not in range 1 to ");
  expect_refused(run("top --interval nan"), 2, "--interval");
  expect_refused(run("top --pid -1"), 2, "--pid");
  expect_refused(run("devices --c$(printf '\\033')"), 2, "--c?");
}

TEST_F(HocketCommand, RefusesEmptyTexts) {
  expect_refused(run("devices --sim ''"), 2, "--sim is \"\"; it must have a text");
  expect_refused(run("devices --devices ''"), 2, "--devices is \"\"");
  expect_refused(run("calibrate --machine ''"), 2, "--machine is \"\"");
  expect_refused(run("simulate --policy '' laptop-igpu true"), 2, "--policy is \"\"");
  expect_refused(run("simulate --trace '' laptop-igpu true"), 2, "--trace is \"\"");
  expect_refused(run("torture --json '' --seeds 1"), 2, "--json is \"\"");
}

TEST_F(HocketCommand, SaysWhatItIs) {
  const outcome version = run("--version");
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.out, "hocket " HOCKET_VERSION "\n");
  const outcome help = run("--help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("devices"));
  EXPECT_THAT(help.out, HasSubstr("doctor"));
  EXPECT_THAT(run("doctor --help").out, HasSubstr("--json"));
}

TEST_F(HocketCommand, SaysThatItCannotWrite) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const fs::path err = folder() / "full";
  const int status =
      std::system(("'" HOCKET "' devices >/dev/full 2>'" + err.string() + "'").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_GT(fs::file_size(err), 0U);
}

TEST_F(HocketCommand, DoctorFindsAHealthyMachine) {
  const outcome ended = run("doctor --sim 1", "HOCKET_DATA_DIR=/");
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_EQ(ended.err, "");
  for (const char* part : {"host: ", "backend cpu: ", "backend sim: ", "device NUMA0: ",
                           "device Sim0: ", "OpenBLAS: ", "oneTBB: Version 20", "data: "}) {
    EXPECT_THAT(ended.out, HasSubstr(part));
  }
  EXPECT_THAT(ended.out, Not(HasSubstr("problem")));
  EXPECT_THAT(ended.out, HasSubstr("Hocket is usable."));
}

TEST_F(HocketCommand, DoctorSaysWhyABackendHasNoDevice) {
  EXPECT_THAT(run("doctor").out, HasSubstr("backend sim: It has no device. "));
}

TEST_F(HocketCommand, DoctorNamesASyntheticMachine) {
  const outcome ended = run("doctor", "HWLOC_SYNTHETIC='numa:2 core:2 pu:1'");
  EXPECT_EQ(ended.exit_code, 0) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("2 NUMA nodes with 4 cores. They are synthetic"));
  EXPECT_THAT(ended.out, HasSubstr("device NUMA1: It computes"));
}

TEST_F(HocketCommand, DoctorSaysThatAWrongDescriptionIsIgnored) {
  EXPECT_THAT(run("doctor", "HWLOC_SYNTHETIC=garbage").out,
              HasSubstr("because HWLOC_SYNTHETIC is \"garbage\", which describes no other"));
}

TEST_F(HocketCommand, DoctorFindsWhatIsBroken) {
  const outcome ended = run("doctor", "HOCKET_VISIBLE_DEVICES=Sim7");
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.out, HasSubstr("there is no \"Sim7\""));
  EXPECT_THAT(ended.out, HasSubstr("Hocket is not usable as it is."));
  const auto json = json_of("doctor --json", "HOCKET_VISIBLE_DEVICES=Sim7");
  EXPECT_FALSE(json.at("usable").as_bool());
  bool found = false;
  for (const auto& each : json.at("checks").as_array()) {
    found = found || each.as_object().at("status").as_string() == "problem";
  }
  EXPECT_TRUE(found);
}

/// A calibration of the host alone, whose costs lie in a folder of the test.
class Calibration : public HocketCommand {
 protected:
  std::string costs() const { return "HOCKET_COSTS='" + (folder() / "costs").string() + "'"; }
  std::string file_of_costs() const { return (folder() / "costs" / "costs-2").string(); }
};

TEST_F(Calibration, MeasuresAndKeepsCosts) {
  const auto json = json_of("calibrate --seconds 0.3 --devices NUMA0 --json", costs());
  EXPECT_FALSE(json.at("interrupted").as_bool());
  EXPECT_EQ(json.at("kept_in").as_string(), file_of_costs());
  std::set<std::string> kernels;
  for (const auto& each : json.at("launches").as_array()) {
    const auto& launch = each.as_object();
    EXPECT_EQ(launch.at("device").as_string(), "NUMA0");
    EXPECT_GT(launch.at("measured_ns").to_number<double>(), 0);
    EXPECT_GT(launch.at("predicted_ns").to_number<double>(), 0);
    EXPECT_GT(launch.at("factor").to_number<double>(), 0);
    kernels.emplace(launch.at("kernel").as_string());
  }
  EXPECT_THAT(kernels, testing::IsSupersetOf({"empty", "axpy", "sum", "gemm_nn"}));
  const auto kept = hocket::cost_store((folder() / "costs").string()).load();
  EXPECT_TRUE(std::ranges::any_of(kept.launches, [](const hocket::launch_cost& each) {
    return each.kernel == "axpy" && each.device.find("cpu NUMA0") != std::string::npos;
  }));
  EXPECT_THAT(run("doctor", costs()).out, HasSubstr(file_of_costs()));
}

TEST_F(Calibration, MeasuresLinksBothWaysAndWritesAMachineFile) {
  const std::string machine = (folder() / "machine.json").string();
  const outcome ended = run("calibrate --seconds 0.5 --devices NUMA0,Sim0 --machine '" + machine +
                                "' --sim 1,memory=64M,flops=10G,link=2G,latency=50us,launch=20us",
                            costs());
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.err, "") << "no progress but on a terminal";
  EXPECT_THAT(ended.out, testing::ContainsRegex("host +Sim0 +[0-9.]+ GB/s"));
  EXPECT_THAT(ended.out, testing::ContainsRegex("Sim0 +host +[0-9.]+ GB/s"));
  const hocket::sim_machine made = hocket::find_machine(machine);
  ASSERT_EQ(made.devices.size(), 2U);
  EXPECT_TRUE(made.devices[0].shares_host_memory);
  EXPECT_FALSE(made.devices[1].shares_host_memory);
  // Timed waits take no less than what they are to take.
  EXPECT_LT(made.devices[1].link_bytes_per_second.value(), 2.1e9);
  EXPECT_GE(made.devices[1].launch_latency.value(), std::chrono::microseconds(20));
  EXPECT_GT(made.devices[0].flops_per_second.value(), 0);
  const auto devices =
      json_of("devices --json --devices Sim0,Sim1 --sim machine=" + machine, "HOCKET_BACKENDS=sim")
          .at("devices")
          .as_array();
  EXPECT_EQ(devices.size(), 2U);
}

// The copies of the simulated device take a minute.
TEST_F(Calibration, StopsCleanlyAndKeepsWhatWasMeasured) {
  outcome ended{};
  // On a machine that is busy the interrupt may come before the program looks for it.
  for (int seconds = 1; seconds <= 32 && ended.out.empty(); seconds *= 2) {
    ended = run("calibrate --seconds 200 --devices NUMA0,Sim0 --json --sim 1,link=500K",
                costs() + " timeout --preserve-status -s INT " + std::to_string(seconds));
    EXPECT_EQ(ended.exit_code, 130) << ended.err;
  }
  const auto json = boost::json::parse(ended.out).as_object();
  EXPECT_TRUE(json.at("interrupted").as_bool());
  const bool was_measured = std::ranges::any_of(
      json.at("launches").as_array(),
      [](const auto& each) { return each.as_object().at("times").template to_number<int>() > 1; });
  EXPECT_TRUE(!was_measured || fs::exists(file_of_costs()));
}

TEST_F(Calibration, RefusesWrongUse) {
  expect_refused(run("calibrate --seconds 0"), 2, "--seconds");
  expect_refused(run("calibrate --seconds soon"), 2, "--seconds");
  expect_refused(run("calibrate --seconds nan"), 2, "\"nan\" is no number from 0.1 to 3600");
  expect_refused(run("calibrate --devices Vulkan9"), 2, "there is no \"Vulkan9\"");
  const outcome ended =
      run("calibrate --seconds 0.1 --devices NUMA0 --machine /nonexistent/machine.json", costs());
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.err, HasSubstr("/nonexistent/machine.json"));
}

TEST_F(HocketCommand, DoctorSaysWhereCostsAreKept) {
  EXPECT_THAT(run("doctor", "HOCKET_COSTS=off").out, HasSubstr("costs: They are not kept"));
  const fs::path costs = folder() / "damaged";
  fs::create_directory(costs);
  std::ofstream(costs / "costs-2") << "hocket costs 2 and nothing else";
  const outcome ended = run("doctor", "HOCKET_COSTS='" + costs.string() + "'");
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.err, HasSubstr("damaged"));
  EXPECT_THAT(ended.out, HasSubstr("costs: "));
}

}  // namespace
