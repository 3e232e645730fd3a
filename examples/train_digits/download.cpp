// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "download.hpp"

#include <unistd.h>

#include <system_error>

#include <fmt/format.h>

#include <hocket/core/error.hpp>

#include "child.hpp"
#include "files.hpp"

namespace train {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(hocket::failure_code code, std::string message) {
  throw hocket::error(hocket::failure(code, std::move(message)));
}

/// A file that is gone at the end of the scope unless it was moved to its place.
class part_file {
 public:
  explicit part_file(fs::path path) : path_(std::move(path)) {}
  ~part_file() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  part_file(const part_file&) = delete;
  part_file& operator=(const part_file&) = delete;

  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
};

/// The first line of what a program said, without its line end.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

void fetch(const std::string& address, const fs::path& to, const std::stop_token& stop) {
  const child_result curl =
      run_child({"curl", "--fail", "--silent", "--show-error", "--location", "--connect-timeout",
                 "20", "--output", to.string(), "--", address},
                stop);
  if (stop.stop_requested()) {
    fail(hocket::failure_code::cancelled, "The download of " + address + " was interrupted.");
  }
  if (curl.exit_code != 0) {
    const std::string reason = first_line(curl.output);
    fail(hocket::failure_code::io,
         fmt::format("The download of {} failed: {}.", address,
                     reason.empty() ? fmt::format("curl ended with {}", curl.exit_code) : reason));
  }
}

void fetch_checked(const std::string& address, const fs::path& to, const std::string& sha256,
                   const std::stop_token& stop) {
  const part_file part(to.string() + fmt::format(".part{}", ::getpid()));
  fetch(address, part.path(), stop);
  const std::string found = sha256_of(part.path());
  if (found != sha256) {
    fail(hocket::failure_code::io,
         fmt::format("The download of {} has the SHA-256 {}; expected is {}.", address, found,
                     sha256));
  }
  std::error_code problem;
  fs::rename(part.path(), to, problem);
  if (problem) throw file_error(to, "could not be written: " + problem.message());
}

}  // namespace

download_source mnist_source() {
  return {"https://ossci-datasets.s3.amazonaws.com/mnist/",
          {{"train-images-idx3-ubyte.gz",
            "0b367032e93c5d0cea0925647cfdb18614af8ee15f83e6f2fc2ad904a6835971"},
           {"train-labels-idx1-ubyte.gz",
            "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
           {"t10k-images-idx3-ubyte.gz",
            "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
           {"t10k-labels-idx1-ubyte.gz",
            "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"}}};
}

std::string sha256_of(const fs::path& file) {
  // A name of "-" alone would mean standard input.
  const child_result sum = run_child({"sha256sum", "--", absolute_path(file).string()});
  // A backslash comes first where the name has characters that are escaped.
  const std::size_t begin = sum.output.starts_with('\\') ? 1 : 0;
  constexpr std::size_t digits = 64;
  if (sum.exit_code != 0 || sum.output.size() < begin + digits) {
    throw file_error(file, "could not be checked: " + first_line(sum.output));
  }
  return sum.output.substr(begin, digits);
}

void download(const download_source& source, const fs::path& folder,
              const std::function<void(std::string_view)>& say, const std::stop_token& stop) {
  folder_guard guard(folder);
  for (const download_source::file& file : source.files) {
    const fs::path to = folder / file.name;
    if (is_there(to) && sha256_of(to) == file.sha256) {
      say(fmt::format("{} is there already", to.string()));
      continue;
    }
    const std::string address = source.address + file.name;
    say(fmt::format("downloading {}", address));
    fetch_checked(address, to, file.sha256, stop);
  }
  guard.keep();
}

}  // namespace train
