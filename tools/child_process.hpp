// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tools {

/// A function that runs in a copy of this process, so that a crash or a function without an end is
/// a result like others. It sends texts; what it writes to standard error is kept.
class child_process {
 public:
  /// How the function sends a text.
  using send = std::function<void(std::string_view)>;

  /// Throws error where the system has no room for one more process.
  explicit child_process(const std::function<void(const send&)>& work);
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;
  /// Ends the process if it still runs.
  ~child_process();

  enum class state {
    sent,     ///< a text has come
    waiting,  ///< none has, in that time
    ended
  };
  [[nodiscard]] state receive(std::string& text, std::chrono::milliseconds within);

  /// How the process ended, and the end of what it said; ends it if it still runs.
  [[nodiscard]] std::string how_it_ended();

 private:
  [[nodiscard]] bool read_whole(void* to, std::size_t bytes) const;
  /// Returns the status that waitpid() gives.
  int finish();

  pid_t process_ = -1;
  int pipe_ = -1;   // its texts
  int error_ = -1;  // its standard error, a file without a name
  std::optional<int> status_;
  bool was_ended_ = false;
};

}  // namespace tools
