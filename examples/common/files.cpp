// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "files.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

namespace examples {

namespace fs = std::filesystem;

hocket::error file_error(const fs::path& path, std::string_view what) {
  return hocket::error(hocket::failure(hocket::failure_code::io,
                                       fmt::format("The file \"{}\" {}.", path.string(), what)));
}

void write_file(const fs::path& path, std::string_view text) {
  const bool standard = path == "-";
  open_file owned(standard ? nullptr : std::fopen(path.c_str(), "wb"));
  std::FILE* file = standard ? stdout : owned.get();
  bool good = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
              std::fflush(file) == 0;
  int reason = errno;
  if (owned && std::fclose(owned.release()) != 0 && good) {
    good = false;
    reason = errno;
  }
  if (good) return;
  std::error_code ignored;
  if (!standard && file != nullptr && fs::is_regular_file(path, ignored)) {
    fs::remove(path, ignored);
  }
  throw file_error(standard ? fs::path("standard output") : path,
                   fmt::format("could not be written: {}", std::strerror(reason)));
}

}  // namespace examples
