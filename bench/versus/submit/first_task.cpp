// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The way to the first host task: in a runtime that is new, and in a process that is new.

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

#include <fmt/format.h>
#include <hocket/hocket.hpp>

#include "subjects.hpp"

extern "C" char** environ;

namespace hocket::bench {

namespace {

constexpr double nanoseconds_per_microsecond = 1000;

/// The end of the runtime does not count.
double microseconds_to_first_task() {
  std::optional<runtime> rt;
  return nanoseconds_of([&] {
           rt.emplace();
           rt->async([] {}).get();
         }) /
         nanoseconds_per_microsecond;
}

/// What another process of this program, with this argument, writes on standard output.
std::string output_of_self(std::string argument) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("A pipe could not be made.");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  std::string program = "/proc/self/exe";
  const std::array<char*, 3> arguments{program.data(), argument.data(), nullptr};
  pid_t child = 0;
  const int problem =
      posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  std::array<char, 128> part{};
  for (ssize_t got = 0; (got = read(ends[0], part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  if (problem != 0 || waitpid(child, &status, 0) != child || status != 0) {
    throw std::runtime_error("A process for the first task did not end well.");
  }
  return text;
}

}  // namespace

int run_first_task() {
  fmt::print("{}\n", microseconds_to_first_task());
  return 0;
}

contender ours::first_task_of_runtime() {
  return {"hocket", [] { return microseconds_to_first_task; }};
}

contender ours::first_task_of_process() {
  return {"hocket", [] { return [] { return std::stod(output_of_self("first-task")); }; }};
}

}  // namespace hocket::bench
