// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "program.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

#include "random.hpp"

namespace main_job {

namespace fs = std::filesystem;

scratch_folder::scratch_folder() {
  std::string name = (fs::temp_directory_path() / "main_job_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

scratch_folder::~scratch_folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

running::running(const arguments& options) {
  std::vector<std::string> command{TRAIN_DIGITS};
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
  if (problem != 0) throw std::runtime_error("train_digits cannot be started");
}

running::~running() {
  if (process_ == 0) return;
  ::kill(process_, SIGKILL);
  static_cast<void>(end());
}

bool running::says(std::string_view text) const {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < limit) {
    if (content_of(files_ / "err").find(text) != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

void running::interrupt() const { ::kill(process_, SIGINT); }

outcome running::end() {
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = 0;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, content_of(files_ / "out"), content_of(files_ / "err")};
}

outcome run(const arguments& options) { return running(options).end(); }

boost::json::object report_of(arguments options) {
  const scratch_folder folder;
  const std::string file = folder / "report.json";
  const outcome ended = run(std::move(options) + arguments{"--quiet", "--json", file});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  return boost::json::parse(content_of(file)).as_object();
}

std::string content_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

arguments small_job(const scratch_folder& folder, const sizes& how) {
  constexpr std::size_t rows = 500, pixels = 64, classes = 10;
  constexpr std::uint32_t brightest = 16, noise = 5;
  const train::counter_random shapes(1, 1), noises(1, 2);
  std::ofstream out(folder / "digits.csv");
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t digit = row % classes;
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
      const std::uint32_t value = shapes.below(digit * pixels + pixel, brightest + 1 - noise) +
                                  noises.below(row * pixels + pixel, noise + 1);
      out << std::min(value, brightest) << ',';
    }
    out << digit << '\n';
  }
  return {"--data",   folder / "", "--dataset", "digits",   "--hidden",
          how.hidden, "--batch",   how.batch,   "--epochs", how.epochs};
}

arguments operator+(arguments left, const arguments& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

}  // namespace main_job
