// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// A child process that was forked has none of the runtime's threads.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <semaphore>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>

#include "support.hpp"

namespace hocket::testing {
namespace {

/// What `body` returns in a child process: at most a pipe's buffer. "signal 14" if it hangs.
std::string in_a_child(const std::function<std::string()>& body) {
  int pipe[2] = {};
  EXPECT_EQ(::pipe(pipe), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    std::string said;
    try {
      said = body();
    } catch (const usage_error& wrong) {
      said = wrong.what();
    }
    const ssize_t written = ::write(pipe[1], said.data(), said.size());
    ::_exit(written == static_cast<ssize_t>(said.size()) ? 0 : 1);
  }
  ::close(pipe[1]);
  std::string heard;
  char text[256];
  for (ssize_t n = 0; (n = ::read(pipe[0], text, sizeof(text))) > 0;) {
    heard.append(text, static_cast<std::size_t>(n));
  }
  ::close(pipe[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  return heard;
}

TEST(Fork, ANewRuntimeInTheChildIsRefusedIfTheParentHadOne) {
  runtime rt{small_machine()};
  EXPECT_EQ(rt.async([] { return 1; }).get(), 1);
  EXPECT_THAT(in_a_child([] {
                runtime own{small_machine()};
                return std::to_string(own.async([] { return 2; }).get());
              }),
              ::testing::HasSubstr("A runtime cannot be made in process"));
  EXPECT_EQ(rt.async([] { return 3; }).get(), 3);
}

TEST(Fork, WaitingForATaskOfTheParentsRuntimeThrowsInTheChild) {
  runtime rt{small_machine()};
  buffer<float> x{rt, 8, 1.0f};
  rt.wait();
  const auto ended = rt.async([] { return 5; });
  EXPECT_EQ(ended.get(), 5);
  const std::string refusal = "the runtime's threads were not forked";
  EXPECT_EQ(in_a_child([&] { return std::to_string(ended.get()); }), "5");
  std::binary_semaphore end{0};
  const auto pending = rt.async([&end] { end.acquire(); });
  EXPECT_THAT(in_a_child([&] {
                rt.wait();
                return std::string("waited");
              }),
              ::testing::HasSubstr(refusal));
  end.release();
  pending.wait();
}

/// Whatever the workers did when the process was forked, submissions take no lock of theirs.
TEST(Fork, SubmittingToTheParentsRuntimeThrowsInTheChild) {
  runtime rt{small_machine()};
  buffer<float> x{rt, 8, 1.0f};
  task_scope within{rt};
  const auto ended = rt.async([] { return 5; });
  const graph recorded = rt.record([&](submitter& s) { s.submit(ops::fill, 2.0f, writes(x)); });
  const auto refusal = ::testing::HasSubstr("the runtime's threads were not forked");
  const auto nothing = [](const auto& submit) {
    return [&submit] {
      (void)submit();
      return std::string("submitted");
    };
  };
  for (int i = 0; i < 20; ++i) {
    std::vector<future<void>> busy;
    for (int k = 0; k < 50; ++k) busy.push_back(rt.async([] {}));
    EXPECT_THAT(in_a_child(nothing([&] { return rt.async([] {}); })), refusal);
    EXPECT_THAT(in_a_child(nothing([&] { return ended.then([](int) {}); })), refusal);
    EXPECT_THAT(in_a_child(nothing([&] { return rt.submit(ops::sum, reads(x)); })), refusal);
    EXPECT_THAT(in_a_child(nothing([&] { return rt.run(recorded); })), refusal);
    EXPECT_THAT(in_a_child(nothing([&] { return within.async([] {}); })), refusal);
  }
}

TEST(Fork, TheParentsRuntimeEndsInTheChildWithoutWaiting) {
  auto rt = std::make_unique<runtime>(small_machine());
  EXPECT_EQ(rt->async([] { return 1; }).get(), 1);
  EXPECT_EQ(in_a_child([&] {
              rt.reset();
              return std::string("ended");
            }),
            "ended");
  rt.reset();
}

}  // namespace
}  // namespace hocket::testing
