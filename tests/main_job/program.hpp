// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

namespace main_job {

using arguments = std::vector<std::string>;

/// How a run of train_digits ended.
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

/// A run of train_digits that is under way.
class running {
 public:
  explicit running(const arguments& options);
  ~running();
  running(const running&) = delete;
  running& operator=(const running&) = delete;

  /// Waits until it has written the text to standard error; false after ten seconds.
  [[nodiscard]] bool says(std::string_view text) const;

  void interrupt() const;

  /// Waits for its end.
  [[nodiscard]] outcome end();

 private:
  scratch_folder files_;
  pid_t process_ = 0;
};

[[nodiscard]] outcome run(const arguments& options);

/// Runs it with --quiet and --json, and returns the JSON; expects that it ends well.
[[nodiscard]] boost::json::object report_of(arguments options);

[[nodiscard]] std::string content_of(const std::string& file);

struct sizes {
  std::string hidden = "48,48,48,48";
  std::string batch = "64";
  std::string epochs = "3";
};

/// Options for digits that somebody made up, easy to tell apart, and a network to go with them: a
/// run takes a fraction of a second. The digits are written into the folder.
[[nodiscard]] arguments small_job(const scratch_folder& folder, const sizes& how = {});

[[nodiscard]] arguments operator+(arguments left, const arguments& right);

}  // namespace main_job
