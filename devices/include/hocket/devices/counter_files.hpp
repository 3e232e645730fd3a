// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hocket/devices/own_folder.hpp>

namespace hocket {

/// Names a runtime among all of this machine.
struct exporter_id {
  std::uint64_t process = 0;
  std::uint64_t began = 0;  ///< when the process did, as the system counts: numbers are used again
  std::uint64_t runtime = 0;  ///< its number in the process

  friend auto operator<=>(const exporter_id&, const exporter_id&) noexcept = default;
};

/// The counters of a runtime, as it has written them last.
struct exported_counters {
  exporter_id from;
  std::string content;
};

/// The folder where the runtimes of this user write their counters: `$XDG_RUNTIME_DIR/hocket`, or
/// `/tmp/hocket-` and the number of the user if that is not set. The folder need not exist.
[[nodiscard]] std::filesystem::path counter_folder();

/// The counters of all runtimes that are alive, by process and number; empty if there is no folder.
/// A file is removed if its process has ended, or if nothing was written to it for ten seconds: a
/// process that goes on writes another one. Only a folder and files that belong to this user, and
/// that no other user may write, are trusted. Throws error if the folder is not trusted or cannot
/// be read.
[[nodiscard]] std::vector<exported_counters> read_counters(const std::filesystem::path& folder);

/// The file of one runtime of this process. Readers find it whole, in one state or the next.
/// Whatever is wrong with it means that nothing is exported: nothing fails, and the first problem
/// is said on standard error. One thread at a time.
class counter_file {
 public:
  counter_file(const std::filesystem::path& folder, std::uint64_t runtime);
  counter_file(const counter_file&) = delete;
  counter_file& operator=(const counter_file&) = delete;
  /// Removes the file.
  ~counter_file();

  /// Replaces the content in one step. Makes the folder, for this user alone, if there is none.
  void write(std::string_view content);

 private:
  [[nodiscard]] bool replace(std::string_view content) const;
  void warn(const std::string& why);

  const own_folder folder_;
  const std::filesystem::path file_;
  const std::filesystem::path next_;  ///< the name while the file is written
  bool warned_ = false;
};

}  // namespace hocket
