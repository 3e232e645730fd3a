// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hocket::testing {

using arguments = std::vector<std::string>;

/// How a run of a program ended.
struct outcome {
  int exit_code = 0;  ///< 128 + the signal's number where a signal ended it
  std::string out;
  std::string err;
};

/// A folder that is there for one test.
class scratch_folder {
 public:
  scratch_folder();
  ~scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  [[nodiscard]] std::string operator/(std::string_view name) const {
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

/// A run of a program that is under way. Its standard input is empty.
class running {
 public:
  running(const std::string& program, const arguments& options);
  ~running();
  running(const running&) = delete;
  running& operator=(const running&) = delete;

  /// Waits until it has written the text to standard error; false after a minute.
  [[nodiscard]] bool says(std::string_view text) const;

  /// Sends SIGINT.
  void interrupt() const;

  /// Sends SIGKILL, and waits for the end.
  outcome kill();

  /// Waits for its end.
  [[nodiscard]] outcome end();

 private:
  scratch_folder files_;
  pid_t process_ = 0;
};

/// Runs it to its end by a shell, with redirections such as "2>/dev/full" or ">&-".
[[nodiscard]] outcome run_redirected(const std::string& program, const arguments& options,
                                     const std::string& redirections);

[[nodiscard]] std::string content_of(const std::string& file);

[[nodiscard]] arguments operator+(arguments left, const arguments& right);

}  // namespace hocket::testing
