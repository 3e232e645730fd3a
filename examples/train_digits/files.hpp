// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/files.hpp"

namespace train {

/// What a file may unpack to at most, so that a small corrupt one cannot fill the memory.
inline constexpr std::size_t max_unpacked_bytes = std::size_t{1} << 30;

/// The whole content of a file, unpacked if it is gzip. Throws an error that names the file, also
/// for packed data that are cut off, corrupt or followed by something else.
[[nodiscard]] std::vector<std::uint8_t> read_file(const std::filesystem::path& path,
                                                  std::size_t limit = max_unpacked_bytes);

/// Unpacks bytes that were read from the file; bytes that are not gzip are returned as they are.
[[nodiscard]] std::vector<std::uint8_t> unpacked(const std::filesystem::path& path,
                                                 std::vector<std::uint8_t> packed,
                                                 std::size_t limit = max_unpacked_bytes);

using examples::absolute_path;
using examples::file_error;
using examples::is_there;
using examples::make_folders;
using examples::open_file;
using examples::write_file;

/// Creates a folder and its parents. keep() makes them stay; without it the destructor takes away
/// those that were created here and are still empty.
class folder_guard {
 public:
  explicit folder_guard(const std::filesystem::path& folder);
  ~folder_guard();
  folder_guard(const folder_guard&) = delete;
  folder_guard& operator=(const folder_guard&) = delete;

  void keep() noexcept { created_.clear(); }

 private:
  std::vector<std::filesystem::path> created_;  // innermost first
};

}  // namespace train
