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

#include <gmock/gmock.h>

#include <hocket/core/environment.hpp>
#include <hocket/hocket.hpp>

#include "child_program.hpp"
#include "standin_driver.hpp"

namespace hocket::testing {

namespace {

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

TEST(cuda_hangs, are_told_while_the_driver_does_not_let_go) {
  const standin_driver driver("libcuda.so.1");
  if (!driver) GTEST_SKIP() << "The stand-in driver is missing.";
  std::string configuration = "memory=16M";
  if (const auto more = environment_variable("HOCKET_BACKEND_CUDA")) configuration += "," + *more;
  runtime rt({.backends = {{"cuda", configuration}}, .hang_timeout = 20ms});
  const task_options on{.on = rt.device("CUDA0"), .label = "stuck"};
  const auto add = elementwise("add", [](auto& x) { x = x + 1.0F; });
  const buffer<float> x{rt, 32, 0.0F};
  rt.submit(on, add, updates(x)).get();
  driver.begin("cuLaunchKernel 1 hold 0");
  const future<void> stuck = rt.submit(on, add, updates(x));
  {
    const printed_text printed;
    // A test that waits for too long is ended.
    while (printed.now().find("does not let go of its commands") == std::string::npos) {
      std::this_thread::sleep_for(1ms);
    }
    EXPECT_THAT(printed.now(), HasSubstr("CUDA0"));
    driver.release("cuLaunchKernel");
  }
  EXPECT_EQ(stuck.error().code(), failure_code::device_lost);
  EXPECT_THAT(stuck.error().message(), HasSubstr("a launch of task \"stuck\" does not end"));
}

}  // namespace

}  // namespace hocket::testing
