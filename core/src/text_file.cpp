// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/core/text_file.hpp>

#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

namespace hocket {

result<std::string> read_text_file(const std::string& path, std::uint64_t max_bytes) {
  std::error_code problem;
  // Fails for whatever is no regular file.
  const std::uintmax_t size = std::filesystem::file_size(path, problem);
  if (problem) return failure(failure_code::io, problem.message());
  if (size > max_bytes) {
    return failure(failure_code::io, "it has " + std::to_string(size) + " bytes; at most " +
                                         std::to_string(max_bytes) + " can be read");
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(size, '\0');
  file.read(text.data(), static_cast<std::streamsize>(size));
  if (!file) return failure(failure_code::io, "it cannot be opened, or has become shorter");
  return text;
}

}  // namespace hocket
