// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

#include <hocket/core/error.hpp>

namespace examples {

struct file_closer {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
/// A C stream that is closed with this object; empty if the file could not be opened.
using open_file = std::unique_ptr<std::FILE, file_closer>;

/// Writes the whole text to a file; "-" is standard output. A failure, a full disk for example, is
/// an error that names the file and leaves no part of it behind.
void write_file(const std::filesystem::path& path, std::string_view text);

/// True if there is a file or folder of that name. Throws an error that names it where the system
/// does not say: a folder on the way may not be looked into, or links lead in a circle.
[[nodiscard]] bool is_there(const std::filesystem::path& path);

/// Makes the folder and its parents. Throws an error that names it.
void make_folders(const std::filesystem::path& folder);

/// The path from the root. Throws an error that names it where the current folder is gone.
[[nodiscard]] std::filesystem::path absolute_path(const std::filesystem::path& path);

/// An error of the world about a file: `The file "x" <what>.`
[[nodiscard]] hocket::error file_error(const std::filesystem::path& path, std::string_view what);

}  // namespace examples
