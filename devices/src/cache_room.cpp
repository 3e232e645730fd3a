// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "cache_room.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <system_error>
#include <vector>

namespace hocket {

namespace {

namespace fs = std::filesystem;

struct cached_file {
  fs::file_time_type used;
  std::uint64_t bytes = 0;
  fs::path path;
};

std::vector<cached_file> files_of(const fs::path& folder) {
  std::vector<cached_file> files;
  std::error_code ignored;
  for (auto at = fs::directory_iterator(folder, ignored); at != fs::directory_iterator();
       at.increment(ignored)) {
    std::error_code gone;  // another process may have deleted it
    cached_file file{at->last_write_time(gone), at->file_size(gone), at->path()};
    if (!gone && at->symlink_status(gone).type() == fs::file_type::regular) {
      files.push_back(std::move(file));
    }
  }
  return files;
}

}  // namespace

void make_room(const fs::path& folder, std::uint64_t max_bytes) {
  std::vector<cached_file> files = files_of(folder);
  std::uint64_t sum = 0;
  for (const cached_file& file : files) sum += file.bytes;
  if (sum <= max_bytes) return;
  std::sort(files.begin(), files.end(),
            [](const cached_file& a, const cached_file& b) { return a.used < b.used; });
  for (const cached_file& file : files) {
    if (sum <= max_bytes / 2) break;
    std::error_code ignored;
    fs::remove(file.path, ignored);
    sum -= file.bytes;
  }
}

void mark_used(const fs::path& file) {
  ::utimensat(AT_FDCWD, file.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

}  // namespace hocket
