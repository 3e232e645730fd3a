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

bool is_there(const fs::path& path) {
  std::error_code problem;
  const fs::file_status found = fs::status(path, problem);
  if (fs::status_known(found)) return fs::exists(found);
  throw file_error(path, "could not be looked for: " + problem.message());
}

void make_folders(const fs::path& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (!problem) return;
  throw hocket::error(hocket::failure(hocket::failure_code::io,
                                      fmt::format("The folder \"{}\" could not be created: {}.",
                                                  folder.string(), problem.message())));
}

fs::path absolute_path(const fs::path& path) {
  std::error_code problem;
  fs::path made = fs::absolute(path, problem);
  if (!problem) return made;
  throw hocket::error(
      hocket::failure(hocket::failure_code::io,
                      fmt::format("The current folder, in which \"{}\" is, is unknown: {}.",
                                  path.string(), problem.message())));
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
