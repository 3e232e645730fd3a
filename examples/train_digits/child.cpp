// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "child.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include <hocket/core/error.hpp>

namespace train {

namespace {

[[noreturn]] void fail(const std::string& program, int reason) {
  throw hocket::error(hocket::failure(
      hocket::failure_code::io,
      fmt::format("The program \"{}\" could not be run: {}.", program, std::strerror(reason))));
}

/// The end of a pipe.
class descriptor {
 public:
  explicit descriptor(int number) noexcept : number_(number) {}
  ~descriptor() { close(); }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;

  void close() noexcept {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

/// What a child starts with: the pipe as its output, nothing as its input, no signal blocked.
class start_settings {
 public:
  explicit start_settings(int output) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files_, output, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  ~start_settings() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  start_settings(const start_settings&) = delete;
  start_settings& operator=(const start_settings&) = delete;

  [[nodiscard]] pid_t start(const std::vector<std::string>& command) const {
    std::vector<char*> arguments;
    for (const std::string& each : command) arguments.push_back(const_cast<char*>(each.c_str()));
    arguments.push_back(nullptr);
    pid_t child = 0;
    const int problem =
        posix_spawnp(&child, arguments.front(), &files_, &attributes_, arguments.data(), environ);
    if (problem != 0) fail(command.front(), problem);
    return child;
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

std::string read_to_end(int pipe) {
  std::string text;
  std::array<char, 4096> part{};
  while (true) {
    const ssize_t got = ::read(pipe, part.data(), part.size());
    if (got > 0) text.append(part.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) return text;
  }
}

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

child_result run_child(const std::vector<std::string>& command, const std::stop_token& stop) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(command.front(), errno);
  const descriptor from_child(ends[0]);
  descriptor to_parent(ends[1]);
  const pid_t child = start_settings(to_parent.number()).start(command);
  to_parent.close();
  child_result result;
  {
    const std::stop_callback end_it(stop, [child] { ::kill(child, SIGTERM); });
    result.output = read_to_end(from_child.number());
    // The number stays the child's until waitpid below, so that the callback never hits another.
    siginfo_t ended{};
    while (::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) != 0 &&
           errno == EINTR) {
    }
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = exit_code_of(status);
  return result;
}

}  // namespace train
