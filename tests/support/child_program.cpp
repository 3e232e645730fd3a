// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "child_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>
#include <utility>

namespace hocket::testing {

namespace fs = std::filesystem;

scratch_folder::scratch_folder() {
  std::string name = (fs::temp_directory_path() / "hocket_test_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

scratch_folder::~scratch_folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

running::running(const std::string& program, const arguments& options) {
  std::vector<std::string> command{program};
  command.insert(command.end(), options.begin(), options.end());
  std::vector<char*> words;
  for (std::string& each : command) words.push_back(each.data());
  words.push_back(nullptr);

  const std::string out = files_ / "out", err = files_ / "err";
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), flags, 0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), flags, 0600);
  const int problem = posix_spawn(&process_, words.front(), &files, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (problem != 0) throw std::runtime_error(program + " cannot be started");
}

running::~running() {
  if (process_ != 0) (void)kill();
}

bool running::says(std::string_view text) const {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (std::chrono::steady_clock::now() < limit) {
    if (content_of(files_ / "err").find(text) != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

void running::interrupt() const { ::kill(process_, SIGINT); }

outcome running::kill() {
  ::kill(process_, SIGKILL);
  return end();
}

outcome running::end() {
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = 0;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, content_of(files_ / "out"), content_of(files_ / "err")};
}

outcome run_redirected(const std::string& program, const arguments& options,
                       const std::string& redirections) {
  const arguments shell{"-c", "exec \"$0\" \"$@\" " + redirections, program};
  return running("/bin/sh", shell + options).end();
}

std::string content_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

arguments operator+(arguments left, const arguments& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

}  // namespace hocket::testing
