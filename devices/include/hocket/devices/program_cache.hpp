// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hocket/devices/own_folder.hpp>

namespace hocket {

/// Compiled programs on disk, kept from one run to the next, below `$XDG_CACHE_HOME/hocket` or
/// `~/.cache/hocket`. Whatever is wrong with the files means that there is no cache: nothing fails.
/// Only files and folders that belong to this user, that no other user may write, and that are no
/// links, are trusted.
/// Where the files of a backend grow beyond a limit, the least recently used half of them goes.
/// Any thread, any number of processes.
class program_cache {
 public:
  static constexpr std::uint64_t usual_bytes = std::uint64_t{1} << 30U;

  /// A folder, wherever it is; an empty path is no cache.
  struct in_folder {
    std::filesystem::path path;
    std::uint64_t max_bytes = usual_bytes;
  };

  /// backend names the folder, for example "opencl".
  explicit program_cache(const std::string& backend);
  explicit program_cache(in_folder folder);

  /// The program that was stored under the key, if it is there and whole. The key is a text of any
  /// length that says everything the program depends on: its source, the options, the driver with
  /// its version, the device. An entry that is damaged is set aside under another name, and said
  /// once on stderr.
  [[nodiscard]] std::optional<std::vector<std::byte>> load(const std::string& key) const;

  /// Replaces the entry that was there, in one step.
  void store(const std::string& key, std::span<const std::byte> program) const;

 private:
  void set_aside(const std::filesystem::path& entry) const;

  own_folder folder_;
  std::uint64_t max_bytes_ = usual_bytes;
  mutable std::atomic<std::uint64_t> stores_{0};
  mutable std::atomic<bool> warned_{false};
};

}  // namespace hocket
