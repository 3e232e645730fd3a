// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <filesystem>
#include <string>

namespace hocket::testing {

/// What a program left.
struct outcome {
  int exit_code = 0;  ///< above 128: a signal; 124: it did not end
  std::string said;   ///< on standard output and standard error
};

/// A folder that goes with this object.
class temporary_folder {
 public:
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

/// The drivers that loaders find, for programs that are run in it. None, as it is made.
class surroundings {
 public:
  surroundings();

  /// A driver that the file of this library is said to be.
  void add_opencl(const std::string& library) const;
  void add_vulkan(const std::string& library) const;
  /// The file is what a program gets that opens the library of this name, such as a loader.
  void replace_library(const std::string& name, const std::filesystem::path& file) const;

  /// Runs the program, with what stands before and after its name.
  [[nodiscard]] outcome run(const std::string& program, const std::string& arguments = "",
                            const std::string& variables = "") const;

  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_.path(); }

 private:
  temporary_folder folder_;
};

}  // namespace hocket::testing
