// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>
#include <vector>

namespace hocket::bench {

/// What a program writes on standard output. The first argument is its path, or a name that is
/// looked for in PATH. Throws std::runtime_error if it cannot be started, or ends with anything but
/// 0.
[[nodiscard]] std::string output_of(std::vector<std::string> arguments);

/// The path of this program.
[[nodiscard]] std::string this_program();

/// A new folder for files, which goes with this object.
class temporary_folder {
 public:
  temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  std::string name_;
};

}  // namespace hocket::bench
