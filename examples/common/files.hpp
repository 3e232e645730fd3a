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

/// An error of the world about a file: `The file "x" <what>.`
[[nodiscard]] hocket::error file_error(const std::filesystem::path& path, std::string_view what);

}  // namespace examples
