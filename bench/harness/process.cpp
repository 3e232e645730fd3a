// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "process.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>

extern "C" char** environ;

namespace hocket::bench {

std::string output_of(std::vector<std::string> arguments) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("A pipe could not be made.");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  std::vector<char*> passed;
  for (std::string& each : arguments) passed.push_back(each.data());
  passed.push_back(nullptr);
  pid_t child = 0;
  const int problem =
      posix_spawnp(&child, passed.front(), &actions, nullptr, passed.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = read(ends[0], part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  if (problem != 0) {
    throw std::runtime_error("\"" + arguments.front() + "\" could not be started: " +
                             std::generic_category().message(problem) + ".");
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) {
    std::string line;
    for (const std::string& each : arguments) line += (line.empty() ? "" : " ") + each;
    throw std::runtime_error("A process did not end well: " + line);
  }
  return text;
}

std::string this_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

temporary_folder::temporary_folder()
    : name_((std::filesystem::temp_directory_path() / "hocket-bench-XXXXXX").string()) {
  if (::mkdtemp(name_.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "No temporary folder can be made");
  }
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(name_, ignored);
}

}  // namespace hocket::bench
