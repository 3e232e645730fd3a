// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Commands that a driver does not let go of: on the driver that runs on the host.

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include <hocket/core/environment.hpp>
#include <hocket/hocket.hpp>

#include "child_program.hpp"
#include "standin_driver.hpp"

namespace hocket::testing {

namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

/// The text that is printed on stderr while the object lives, at any moment.
class printed_text {
 public:
  printed_text() : before_(dup(STDERR_FILENO)) {
    std::fflush(stderr);
    std::FILE* const file = std::fopen(path_.c_str(), "w");
    dup2(fileno(file), STDERR_FILENO);
    std::fclose(file);
  }
  ~printed_text() {
    std::fflush(stderr);
    dup2(before_, STDERR_FILENO);
    close(before_);
  }
  printed_text(const printed_text&) = delete;
  printed_text& operator=(const printed_text&) = delete;

  [[nodiscard]] std::string now() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

 private:
  scratch_folder folder_;
  std::string path_ = folder_ / "stderr";
  int before_;
};

const auto increase = elementwise("increase", [](auto& x) { x = x + 1.0F; });

/// The launch that is begun next does not end before release().
class cuda_hangs : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!driver_) GTEST_SKIP() << "The stand-in driver is missing.";
    compile_all();
  }
  [[nodiscard]] static runtime_options options(resilience_kind kind) {
    std::string configuration = "memory=16M";
    if (const auto more = environment_variable("HOCKET_BACKEND_CUDA")) configuration += "," + *more;
    runtime_options made;
    made.backends = {{"cuda", configuration}};
    made.resilience = kind;
    made.hang_timeout = 20ms;
    return made;
  }
  /// The tests find the programs of their kernels on disk: a compiler takes longer than a command
  /// may.
  static void compile_all() {
    runtime_options patient = options(resilience_kind::none);
    patient.hang_timeout = nanoseconds{0};
    runtime rt(patient);
    for (const char* const device : {"CUDA0", "CUDA1"}) {
      const task_options there{.on = rt.device(device)};
      const buffer<float> x{rt, 32, 0.0F}, y{rt, 32};
      rt.submit(there, increase, updates(x));
      rt.submit(there, ops::copy, reads(x), writes(y));
      rt.submit(there, ops::fill, 1.0F, writes(x));
      rt.wait();
    }
  }
  /// Begins a task that hangs, and waits for the warning. Other tasks are to run before that.
  [[nodiscard]] future<void> hang(runtime& rt, const buffer<float>& x) {
    const task_options there{.on = rt.device("CUDA0"), .label = "stuck"};
    rt.submit(there, increase, updates(x)).get();
    driver_.begin("cuLaunchKernel 1 hold 0");
    const printed_text printed;
    future<void> stuck = rt.submit(there, increase, updates(x));
    // A test that waits for too long is ended.
    while (printed.now().find("does not let go of its commands") == std::string::npos) {
      std::this_thread::sleep_for(1ms);
    }
    EXPECT_THAT(printed.now(), HasSubstr("CUDA0"));
    return stuck;
  }
  void release() { driver_.release("cuLaunchKernel"); }

 private:
  const standin_driver driver_{"libcuda.so.1"};
};

void expect_lost(const future<void>& of) {
  EXPECT_THAT(of.error().message(), HasSubstr("a launch of task \"stuck\" does not end"));
}

TEST_F(cuda_hangs, fail_the_tasks_that_wait_for_them_and_no_others) {
  runtime rt(options(resilience_kind::none));
  const buffer<float> x{rt, 32, 0.0F}, y{rt, 32, 0.0F}, z{rt, 32, 0.0F};
  const task_options there{.on = rt.device("CUDA0")}, on_host{.on = rt.device("NUMA0")};
  rt.submit(there, ops::copy, reads(x), writes(y)).get();
  const future<void> stuck = hang(rt, x);
  const future<void> behind = rt.submit(there, ops::copy, reads(x), writes(y));
  const future<void> on_another = rt.submit(on_host, ops::copy, reads(x), writes(z));
  const future<void> function = rt.submit([](buffer_view<const float>) {}, reads(z));
  const future<void> after = rt.async({.after = {function}}, [] {});
  EXPECT_EQ(stuck.error().code(), failure_code::device_lost);
  for (const auto& each : {stuck, behind, on_another, function, after}) expect_lost(each);
  EXPECT_THROW((void)x.to_vector(), error);
  EXPECT_EQ(rt.report().devices[rt.device("CUDA0").id.value].state, device_state::hung);
  EXPECT_EQ(rt.drain(rt.device("CUDA0")).error().code(), failure_code::device_lost);
  // Tasks that need nothing of the device go on, and content is replaced.
  rt.submit(on_host, ops::fill, 3.0F, writes(x)).get();
  EXPECT_THAT(x.to_vector(), Each(3.0F));
  release();
}

TEST_F(cuda_hangs, keep_no_tasks_waiting_whose_data_are_elsewhere) {
  runtime rt(options(resilience_kind::none));
  const task_options there{.on = rt.device("CUDA0")}, on_other{.on = rt.device("CUDA1")};
  const buffer<float> x{rt, 32, 0.0F}, elsewhere{rt, 32, 0.0F};
  rt.submit(on_other, increase, updates(elsewhere)).get();
  std::vector<buffer<float>> on_device;
  for (int i = 0; i < 40; ++i) {
    on_device.emplace_back(rt, 32, 0.0F);
    rt.submit(there, increase, updates(on_device.back())).get();
  }
  const future<void> stuck = hang(rt, x);
  // More than are fetched ahead at a time.
  std::vector<future<void>> readers;
  for (const buffer<float>& each : on_device) {
    readers.push_back(rt.submit([](buffer_view<const float>) {}, reads(each)));
  }
  EXPECT_FALSE(rt.submit([](buffer_view<const float>) {}, reads(elsewhere)).error());
  for (const future<void>& each : readers) expect_lost(each);
  expect_lost(stuck);
  release();
}

TEST_F(cuda_hangs, let_other_tasks_run_elsewhere_until_they_are_survived) {
  runtime rt(options(resilience_kind::survive));
  const buffer<float> x{rt, 32, 0.0F};
  const future<void> stuck = hang(rt, x);
  std::vector<buffer<float>> others;
  for (int i = 0; i < 20; ++i) others.emplace_back(rt, 32, 1.0F);
  for (const buffer<float>& each : others) rt.submit(increase, updates(each));
  for (const buffer<float>& each : others) EXPECT_THAT(each.to_vector(), Each(2.0F));
  EXPECT_FALSE(stuck.done());
  release();
  EXPECT_FALSE(stuck.error());
  EXPECT_THAT(x.to_vector(), Each(2.0F));
}

}  // namespace

}  // namespace hocket::testing
