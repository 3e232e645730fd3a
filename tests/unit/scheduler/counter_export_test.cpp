// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The counters that a runtime writes for `hocket top`.

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <boost/json.hpp>

#include <hocket/devices/counter_files.hpp>
#include <hocket/hocket.hpp>

#include "child_program.hpp"

namespace hocket {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using ::testing::HasSubstr;

/// Sets a variable of the environment as long as it lives.
class variable {
 public:
  variable(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;
  ~variable() {
    if (before_) {
      ::setenv(name_, before_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

class counter_export_test : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path folder() const { return root_ / "hocket"; }
  [[nodiscard]] std::size_t files() const {
    return fs::exists(folder()) ? read_counters(folder()).size() : 0;
  }
  /// Waits until the counters of the runtime are as they are to be, and returns them.
  [[nodiscard]] json::object await(const std::function<bool(const json::object&)>& good,
                                   std::size_t number = 0) const {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    json::object seen;
    while (std::chrono::steady_clock::now() < limit) {
      const auto all = read_counters(folder());
      if (number < all.size()) {
        seen = json::parse(all[number].content).as_object();
        if (good(seen)) return seen;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << "the counters are " << json::serialize(seen);
    return seen;
  }
  static bool is_any(const json::object& /*of*/) { return true; }

 private:
  testing::scratch_folder root_;
  variable folder_of_session_{"XDG_RUNTIME_DIR", root_ / ""};
  variable not_asked_for_{"HOCKET_TOP", "0"};
};

TEST_F(counter_export_test, is_off_unless_it_is_asked_for) {
  runtime rt;
  rt.async([] {}).get();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(counter_export_test, has_tasks_and_devices_and_ends_with_the_runtime) {
  {
    runtime rt({.devices = "NUMA0", .data_tasks = data_path::placed, .export_counters = true});
    const json::object before = await(is_any);
    EXPECT_TRUE(before.at("devices").as_array().empty()) << "no device is connected for that";
    const buffer<float> x{rt, 1000, 1.0F};
    for (int i = 0; i < 4; ++i) rt.submit(ops::fill, 2.0F, writes(x));
    rt.wait();
    const json::object after =
        await([](const json::object& of) { return of.at("ended").to_number<int>() >= 5; });
    EXPECT_EQ(after.at("pending").to_number<int>(), 0);
    EXPECT_TRUE(after.at("placed").as_bool());
    const json::object device = after.at("devices").as_array().at(0).as_object();
    EXPECT_EQ(device.at("name").as_string(), "NUMA0");
    EXPECT_EQ(device.at("kernels").to_number<int>(), 5);
    EXPECT_GE(device.at("used_bytes").to_number<int>(), 4000);
    EXPECT_GT(device.at("memory_bytes").to_number<std::uint64_t>(), 4000U);
  }
  EXPECT_TRUE(fs::is_empty(folder()));
}

TEST_F(counter_export_test, tells_of_tasks_while_they_are_pending) {
  runtime rt({.devices = "NUMA0,Sim0", .backends = {{"sim", "1"}}, .export_counters = true});
  const buffer<float> x{rt, 1000, 1.0F};
  rt.wait();
  std::atomic<bool> go{false};
  rt.submit(
      {.on = rt.device("NUMA0")},
      [&go](buffer_view<float>) {
        while (!go) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      },
      updates(x));
  const json::object seen = await([](const json::object& of) {
    const json::array& devices = of.at("devices").as_array();
    return !devices.empty() && devices[0].as_object().at("in_flight").to_number<int>() == 1;
  });
  EXPECT_EQ(seen.at("pending").to_number<int>(), 1);
  go = true;
  rt.wait();
}

TEST_F(counter_export_test, is_asked_for_by_a_variable) {
  const variable asked("HOCKET_TOP", "1");
  runtime first, second;
  second.async([] {}).get();
  const json::object seen =
      await([](const json::object& of) { return of.at("ended").to_number<int>() == 1; }, 1);
  EXPECT_FALSE(seen.at("placed").as_bool());
  EXPECT_EQ(files(), 2U);
  {
    const variable off("HOCKET_TOP", "0");
    runtime third;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_EQ(files(), 2U);
  }
}

TEST_F(counter_export_test, has_the_counters_of_tasks_in_place) {
  runtime rt({.devices = "NUMA0", .data_tasks = data_path::in_place, .export_counters = true});
  const buffer<float> x{rt, 1000, 1.0F};
  const json::object seen = await([](const json::object& of) {
    const json::array& devices = of.at("devices").as_array();
    return !devices.empty() && devices[0].as_object().at("kernels").to_number<int>() == 1;
  });
  EXPECT_FALSE(seen.at("placed").as_bool());
  EXPECT_GE(seen.at("devices").at(0).at("used_bytes").to_number<int>(), 4000);
}

TEST_F(counter_export_test, is_not_of_time_that_is_modelled) {
  runtime rt({.backends = {{"sim", "1"}}, .clock = clock_kind::simulated, .export_counters = true});
  rt.async([] {}).get();
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(counter_export_test, does_not_stop_a_program_that_has_no_folder_for_it) {
  std::ofstream(folder()) << "a file where the folder would be";
  ::testing::internal::CaptureStderr();
  {
    runtime rt({.export_counters = true});
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    EXPECT_EQ(rt.async([] { return 7; }).get(), 7);
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("hocket: Counters cannot be written to"));
  EXPECT_EQ(said.find('\n') + 1, said.size()) << said;
  EXPECT_TRUE(fs::is_regular_file(folder()));
}

TEST_F(counter_export_test, stays_the_parents_in_a_forked_child) {
  auto rt = std::make_unique<runtime>(runtime_options{.export_counters = true});
  rt->async([] {}).get();
  (void)await(is_any);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    rt.reset();
    ::_exit(files() == 1 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(files(), 1U);
}

}  // namespace
}  // namespace hocket
