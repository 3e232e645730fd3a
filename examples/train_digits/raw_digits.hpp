// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace train {

inline constexpr std::size_t digit_classes = 10;

/// Digits as they stand in a file.
struct raw_digits {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::uint8_t largest_pixel = 0;  ///< what white is
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint8_t> labels;
};

/// The bytes of a file, unpacked. Messages name the path.
struct file_content {
  std::filesystem::path path;
  std::vector<std::uint8_t> bytes;
};

/// A file of images and one of labels, in MNIST's IDX format.
[[nodiscard]] raw_digits read_idx(const std::filesystem::path& images,
                                  const std::filesystem::path& labels);
[[nodiscard]] raw_digits parse_idx(file_content images, file_content labels);

/// A text of lines of 64 pixels of 0 .. 16 and a label, separated by commas.
[[nodiscard]] raw_digits read_csv(const std::filesystem::path& path);
[[nodiscard]] raw_digits parse_csv(const file_content& of);

}  // namespace train
