// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "common/interrupt.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace examples {
namespace {

using namespace std::chrono_literals;

bool soon(const auto& condition) {
  for (int waited = 0; waited < 10000 && !condition(); ++waited) std::this_thread::sleep_for(1ms);
  return condition();
}

TEST(Interrupt, TheFirstSignalAsksToStop) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const interrupt watched;
    EXPECT_FALSE(watched.requested());
    ::kill(::getpid(), signal);
    EXPECT_TRUE(soon([&] { return watched.requested(); }));
    EXPECT_TRUE(watched.token().stop_requested());
  }
}

TEST(Interrupt, AStopCallbackRuns) {
  const interrupt watched;
  std::atomic<bool> called{false};
  const std::stop_callback note(watched.token(), [&] { called = true; });
  ::kill(::getpid(), SIGINT);
  EXPECT_TRUE(soon([&] { return called.load(); }));
}

TEST(Interrupt, LeavesSignalsAsTheyWere) {
  sigset_t before, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  { const interrupt watched; }
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (const int signal : {SIGINT, SIGTERM}) {
    EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal));
  }
}

[[noreturn]] void two_signals(int signal) {
  const interrupt watched;
  std::thread busy([] { std::this_thread::sleep_for(60s); });
  ::kill(::getpid(), signal);
  if (soon([&] { return watched.requested(); })) ::kill(::getpid(), signal);
  std::this_thread::sleep_for(60s);
  ::_exit(0);
}

TEST(InterruptDeathTest, TheSecondSignalEndsTheProcess) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(two_signals(SIGINT), testing::ExitedWithCode(130), "");
  EXPECT_EXIT(two_signals(SIGTERM), testing::ExitedWithCode(130), "");
}

}  // namespace
}  // namespace examples
