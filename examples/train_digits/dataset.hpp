// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace train {

/// Images with a label each, ready for a network.
struct dataset {
  std::string name;
  std::size_t rows = 0;
  std::size_t columns = 0;  ///< pixels of an image
  std::size_t classes = 0;
  std::vector<float> images;  ///< rows x columns, row-major, standardised
  std::vector<std::int32_t> labels;
};

/// What a network learns from, and what it has never seen. Pixels of both are scaled to 0 .. 1,
/// then shifted and divided by the mean and the deviation of all pixels of the training part.
struct split {
  dataset train;
  dataset test;
  std::string description;
};

/// MNIST: the four IDX files of a folder, as gzip (name.gz) or unpacked. Like the other loaders it
/// throws an error for whatever is wrong with a file: it names the file, what is there and what
/// was expected.
[[nodiscard]] split load_mnist(const std::filesystem::path& folder);

/// The UCI handwritten digits, 8 x 8: optdigits.tra and optdigits.tes of a folder.
[[nodiscard]] split load_optdigits(const std::filesystem::path& folder);

/// The 1 797 digits of scikit-learn: one digits.csv or digits.csv.gz. A fixed shuffle, the same for
/// every seed of a run, makes a fifth of them the test part.
[[nodiscard]] split load_digits(const std::filesystem::path& file);

/// folder/name or folder/name.gz, whichever there is; folder/name.gz if there is neither.
[[nodiscard]] std::filesystem::path packed_or_not(const std::filesystem::path& folder,
                                                  const std::string& name);

}  // namespace train
