// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// A system that refuses to start threads: the runtime says which one, or leaves a device out. Each
// try has a process of its own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>

#include "program.hpp"
#include "refused_threads.hpp"
#include "run.hpp"

namespace hocket::testing {

namespace {

using ::testing::HasSubstr;

constexpr std::size_t all_that_follow = std::numeric_limits<std::size_t>::max();
constexpr int works = 0, has_failed = 1, is_wrong = 2, has_enough = 3;  // how a process exits

/// Uses every device that there is.
bool uses_devices() {
  runtime_options options;
  options.export_counters = true;
  options.watchdog = std::chrono::seconds(60);
  runtime rt{options};
  for (const device_info& each : rt.devices()) {
    const buffer<float> x{rt, 1000, 1.5F}, y{rt, 1000, 0.5F};
    rt.submit({.on = rt.device(each.name)}, ops::axpy, 2.0F, reads(x), updates(y)).get();
    if (y.to_vector() != std::vector<float>(1000, 3.5F)) return false;
  }
  return true;
}

/// Ends the process.
[[noreturn]] void run(const std::string& backends, const std::string& starter, std::size_t first,
                      std::size_t last) {
  ::alarm(100);  // a hang ends as well
  ::setenv("HOCKET_BACKENDS", backends.c_str(), 1);
  refuse_threads(starter, first, last);
  int code = is_wrong;
  try {
    if (uses_devices()) code = has_refused_threads() ? works : has_enough;
  } catch (const error& thrown) {
    std::fprintf(stderr, "%s\n", thrown.what());
    if (has_refused_threads()) code = has_failed;
  } catch (const usage_error&) {
    code = has_enough;  // this program lacks the backend
  } catch (const std::exception& thrown) {
    std::fprintf(stderr, "%s, which names nothing\n", thrown.what());
  }
  // Drivers and oneTBB need not end well without their threads.
  std::fflush(stderr);
  std::_Exit(code);
}

struct ending {
  int exit_code = is_wrong;
  std::string said;
};

ending ending_of(::pid_t child, std::FILE* said) {
  int status = 0;
  ::waitpid(child, &status, 0);
  ending how{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), ""};
  std::rewind(said);
  for (int c = std::fgetc(said); c != EOF; c = std::fgetc(said)) {
    how.said += static_cast<char>(c);
  }
  std::fclose(said);
  return how;
}

ending run_in_process(const std::string& backends, const std::string& starter, std::size_t first,
                      std::size_t last) {
  std::FILE* const said = std::tmpfile();
  const ::pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::fileno(said), STDERR_FILENO);
    run(backends, starter, first, last);
  }
  return ending_of(child, said);
}

class no_threads : public ::testing::TestWithParam<const char*> {};

/// The threads that Hocket starts itself; drivers may need theirs.
TEST_P(no_threads, are_an_error_that_names_one_or_leave_a_device_out) {
  for (const bool one_only : {true, false}) {
    ending how;
    std::size_t first = 0;
    do {
      ++first;
      SCOPED_TRACE("thread " + std::to_string(first) + (one_only ? "" : " and all that follow"));
      const std::size_t last = one_only ? first : all_that_follow;
      how = run_in_process(std::string("cpu,") + GetParam(), "test_no_threads", first, last);
      ASSERT_TRUE(how.exit_code == works || how.exit_code == has_failed ||
                  how.exit_code == has_enough)
          << how.exit_code << ": " << how.said;
      if (how.exit_code != has_enough) {
        EXPECT_THAT(how.said, HasSubstr("The thread \""));
        EXPECT_THAT(how.said, HasSubstr("cannot be started (Resource temporarily unavailable)"));
        EXPECT_EQ(how.exit_code == works, how.said.find("is left out") != std::string::npos)
            << how.said;
      }
    } while (how.exit_code != has_enough && first < 100);
    EXPECT_GT(first, 3U) << "timers, watchdog and counters have a thread each";
    EXPECT_LT(first, 100U);
  }
}

INSTANTIATE_TEST_SUITE_P(, no_threads, ::testing::Values("null", "opencl", "vulkan", "cuda"),
                         [](const auto& each) { return std::string(each.param); });

/// oneTBB starts two of its threads in the thread that first gives it work; a failure of others,
/// which those start, ends the process.
TEST(no_threads_of_onetbb, are_an_error) {
  for (const std::size_t first : {1U, 2U}) {
    for (const std::size_t last : {std::size_t{first}, all_that_follow}) {
      SCOPED_TRACE("thread " + std::to_string(first) + " to " + std::to_string(last));
      const ending how = run_in_process("cpu", "libtbb", first, last);
      if (how.exit_code == has_enough) continue;  // one core
      EXPECT_EQ(how.exit_code, has_failed) << how.said;
      EXPECT_THAT(how.said, HasSubstr("oneTBB cannot be started ("));
    }
  }
}

/// A random program with another one beside it, which has a thread.
[[noreturn]] void run_two_programs(std::size_t refused) {
  ::alarm(100);
  seeded::run_settings settings;
  settings.real_clock = true;
  settings.topology = std::make_shared<const host_topology>();
  std::uint64_t seed = 1;
  while (!seeded::other_program(seeded::make_program(seed))) ++seed;
  refuse_threads("test_no_threads", refused, refused);
  const std::string wrong = seeded::run_and_compare(seeded::make_program(seed), settings).wrong;
  std::fprintf(stderr, "%s\n", wrong.c_str());
  std::fflush(stderr);
  std::_Exit(has_refused_threads() ? has_failed : has_enough);
}

TEST(no_threads_for_torture, are_an_error_that_names_one) {
  bool is_named = false;
  int code = has_failed;
  for (std::size_t refused = 1; code == has_failed && refused < 100; ++refused) {
    std::FILE* const said = std::tmpfile();
    const ::pid_t child = ::fork();
    if (child == 0) {
      ::dup2(::fileno(said), STDERR_FILENO);
      run_two_programs(refused);
    }
    const ending how = ending_of(child, said);
    code = how.exit_code;
    if (code == has_failed) {
      EXPECT_THAT(how.said, HasSubstr("The thread \""));
    }
    is_named = is_named || how.said.find("the other progr") != std::string::npos;
  }
  EXPECT_EQ(code, has_enough);
  EXPECT_TRUE(is_named);
}

}  // namespace

}  // namespace hocket::testing
