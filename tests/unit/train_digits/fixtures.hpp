// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace train::test {

using bytes = std::vector<std::uint8_t>;

/// A folder that is there for one test.
class temporary_folder {
 public:
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const {
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

void put(const std::filesystem::path& file, const bytes& content);
void put(const std::filesystem::path& file, std::string_view content);
[[nodiscard]] std::string content_of(const std::filesystem::path& file);
[[nodiscard]] bytes gzip(const bytes& content);

/// IDX files of made-up digits: pixel p of image i has the value (i + p) mod 256, its label is
/// i mod 10.
[[nodiscard]] bytes idx_images(std::uint32_t count, std::uint32_t height, std::uint32_t width);
[[nodiscard]] bytes idx_labels(std::uint32_t count);

/// The four files of MNIST, small and packed.
void put_small_mnist(const std::filesystem::path& folder);

/// Lines of 64 pixels and a label.
[[nodiscard]] std::string csv_digits(std::size_t rows);

/// The one-line message of the hocket::error that the call throws; "" and a test failure if it
/// throws none.
[[nodiscard]] std::string message_of(const std::function<void()>& call);

/// The same for a hocket::usage_error.
[[nodiscard]] std::string usage_message_of(const std::function<void()>& call);

}  // namespace train::test
