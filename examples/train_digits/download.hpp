// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace train {

/// Files at one address, and the SHA-256 that each must have.
struct download_source {
  struct file {
    std::string name;
    std::string sha256;
  };
  std::string address;  ///< ends with a slash
  std::vector<file> files;
};

/// MNIST's four files at their public address.
[[nodiscard]] download_source mnist_source();

/// Fetches with curl what is not yet in the folder with the right checksum. A file appears under
/// its name only when it is whole; a failure is an error and leaves nothing behind. say gets one
/// line for each file.
void download(const download_source& source, const std::filesystem::path& folder,
              const std::function<void(std::string_view)>& say, const std::stop_token& stop = {});

/// The SHA-256 of a file, in hexadecimal, by the sha256sum of the system.
[[nodiscard]] std::string sha256_of(const std::filesystem::path& file);

}  // namespace train
