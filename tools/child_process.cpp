// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <system_error>

#include <fmt/format.h>

#include <hocket/core/error.hpp>
#include <hocket/core/printable.hpp>

namespace tools {

namespace {

[[noreturn]] void refuse() {
  const std::string why = std::generic_category().message(errno);
  throw hocket::error(
      hocket::failure(hocket::failure_code::io, "A process cannot be started: " + why + "."));
}

/// A reader that has gone ends the process: what it finds is for that one alone.
void write_whole(int to, const void* from, std::size_t bytes) {
  const auto* next = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t written = ::write(to, next, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) std::_Exit(EXIT_FAILURE);
    next += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void send_text(int to, int error, std::string_view text) {
  const std::uint64_t size = text.size();
  write_whole(to, &size, sizeof size);
  write_whole(to, text.data(), text.size());
  // Only what is said after the last text tells of the end.
  if (::ftruncate(error, 0) != 0) std::_Exit(EXIT_FAILURE);
}

[[noreturn]] void run_child(const std::function<void(const child_process::send&)>& work, int to,
                            int error) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(error, STDERR_FILENO);
  ::dup2(error, STDOUT_FILENO);
  try {
    work([to, error](std::string_view text) { send_text(to, error, text); });
  } catch (const std::exception& why) {
    const std::string text = fmt::format("{}\n", why.what());
    write_whole(STDERR_FILENO, text.data(), text.size());
    std::_Exit(EXIT_FAILURE);
  }
  std::_Exit(EXIT_SUCCESS);
}

/// The last of the lines that the file has.
std::string last_lines(int file) {
  struct stat found {};
  if (::fstat(file, &found) != 0) return {};
  constexpr off_t most = 2000;
  const off_t begin = std::max<off_t>(0, found.st_size - most);
  std::array<char, most> text{};
  const ssize_t size = ::pread(file, text.data(), text.size(), begin);
  return size <= 0 ? std::string() : std::string(text.data(), static_cast<std::size_t>(size));
}

}  // namespace

child_process::child_process(const std::function<void(const send&)>& work) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) refuse();
  pipe_ = ends[0];
  error_ = ::memfd_create("standard error", MFD_CLOEXEC);
  if (error_ >= 0 && ::fcntl(error_, F_SETFL, O_APPEND) == 0) process_ = ::fork();
  if (process_ == 0) run_child(work, ends[1], error_);
  ::close(ends[1]);
  if (process_ > 0) return;
  ::close(pipe_);
  if (error_ >= 0) ::close(error_);
  refuse();
}

child_process::~child_process() {
  (void)finish();
  ::close(pipe_);
  ::close(error_);
}

bool child_process::read_whole(void* to, std::size_t bytes) const {
  auto* next = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t count = ::read(pipe_, next, bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    next += count;
    bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

child_process::state child_process::receive(std::string& text, std::chrono::milliseconds within) {
  pollfd waited{pipe_, POLLIN, 0};
  const int ready = ::poll(&waited, 1, static_cast<int>(within.count()));
  if (ready == 0 || (ready < 0 && errno == EINTR)) return state::waiting;
  std::uint64_t size = 0;
  if (!read_whole(&size, sizeof size)) return state::ended;
  text.resize(size);
  return read_whole(text.data(), size) ? state::sent : state::ended;
}

int child_process::finish() {
  if (status_) return *status_;
  int status = 0;
  // A pipe that is closed and a process that is about to end look the same: it is given a moment.
  for (int tries = 0; tries < 100; ++tries) {
    const pid_t ended = ::waitpid(process_, &status, WNOHANG);
    if (ended == process_) return *(status_ = status);
    pollfd closed{pipe_, 0, 0};
    if (::poll(&closed, 1, 0) == 0) break;
    ::usleep(10'000);
  }
  was_ended_ = true;
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  return *(status_ = status);
}

std::string child_process::how_it_ended() {
  const int status = finish();
  std::string how = "the process did not end";
  if (!was_ended_ && WIFSIGNALED(status)) {
    how = fmt::format("the process was ended by signal {} ({})", WTERMSIG(status),
                      ::strsignal(WTERMSIG(status)));
  } else if (!was_ended_) {
    how = fmt::format("the process ended with {}", WEXITSTATUS(status));
  }
  const std::string said = last_lines(error_);
  return said.empty() ? how : how + ", and said: " + said;
}

}  // namespace tools
