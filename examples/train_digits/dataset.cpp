// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "dataset.hpp"

#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "files.hpp"
#include "network.hpp"
#include "raw_digits.hpp"

namespace train {

namespace fs = std::filesystem;

namespace {

/// The float that stands for each value of a pixel.
using pixel_table = std::array<float, 256>;

/// Counts values first: sums of integers are the same in every order and on every machine.
pixel_table standardise(const raw_digits& digits) {
  std::array<double, 256> count{};
  for (const std::uint8_t pixel : digits.pixels) count[pixel] += 1;
  double sum = 0;
  double squares = 0;
  for (std::size_t value = 0; value < count.size(); ++value) {
    const auto pixel = static_cast<double>(value);
    sum += count[value] * pixel;
    squares += count[value] * pixel * pixel;
  }
  const auto pixels = static_cast<double>(digits.pixels.size());
  const double white = digits.largest_pixel;
  const double mean = sum / pixels / white;
  const double variance = squares / pixels / (white * white) - mean * mean;
  // Images of one colour have nothing to divide by.
  const double deviation = variance > 0 ? std::sqrt(variance) : 1;
  pixel_table table{};
  for (std::size_t value = 0; value < table.size(); ++value) {
    table[value] = static_cast<float>((static_cast<double>(value) / white - mean) / deviation);
  }
  return table;
}

dataset prepare(const raw_digits& digits, const pixel_table& table, std::string name) {
  dataset result{std::move(name), digits.rows, digits.columns, digit_classes, {}, {}};
  result.images.reserve(digits.pixels.size());
  for (const std::uint8_t pixel : digits.pixels) result.images.push_back(table[pixel]);
  result.labels.assign(digits.labels.begin(), digits.labels.end());
  return result;
}

split prepare(const raw_digits& train, const raw_digits& test, std::string_view name) {
  const pixel_table table = standardise(train);
  split result{prepare(train, table, fmt::format("{}, training part", name)),
               prepare(test, table, fmt::format("{}, test part", name)),
               {}};
  result.description =
      fmt::format("{}: {} + {} digits of {} pixels", name, train.rows, test.rows, train.columns);
  return result;
}

/// The rows order[begin .. end) of digits.
raw_digits pick(const raw_digits& digits, const std::vector<std::uint32_t>& order,
                std::size_t begin, std::size_t end) {
  raw_digits part{end - begin, digits.columns, digits.largest_pixel, {}, {}};
  for (std::size_t at = begin; at < end; ++at) {
    const auto row =
        digits.pixels.begin() + static_cast<std::ptrdiff_t>(order[at] * digits.columns);
    part.pixels.insert(part.pixels.end(), row, row + static_cast<std::ptrdiff_t>(digits.columns));
    part.labels.push_back(digits.labels[order[at]]);
  }
  return part;
}

}  // namespace

fs::path packed_or_not(const fs::path& folder, const std::string& name) {
  const fs::path packed = folder / (name + ".gz");
  const fs::path unpacked = folder / name;
  return is_there(packed) || !is_there(unpacked) ? packed : unpacked;
}

split load_mnist(const fs::path& folder) {
  const fs::path test_images = packed_or_not(folder, "t10k-images-idx3-ubyte");
  const raw_digits train = read_idx(packed_or_not(folder, "train-images-idx3-ubyte"),
                                    packed_or_not(folder, "train-labels-idx1-ubyte"));
  const raw_digits test = read_idx(test_images, packed_or_not(folder, "t10k-labels-idx1-ubyte"));
  if (test.columns != train.columns) {
    throw file_error(
        test_images,
        fmt::format("has images of {} pixels; expected are {}, as in the training part",
                    test.columns, train.columns));
  }
  return prepare(train, test, "MNIST");
}

split load_optdigits(const fs::path& folder) {
  const raw_digits train = read_csv(packed_or_not(folder, "optdigits.tra"));
  return prepare(train, read_csv(packed_or_not(folder, "optdigits.tes")), "optdigits");
}

split load_digits(const fs::path& file) {
  const raw_digits all = read_csv(file);
  constexpr std::uint64_t always_the_same = 1797;
  const std::vector<std::uint32_t> order = shuffled_rows(all.rows, always_the_same, 0);
  const std::size_t test_rows = (all.rows + 4) / 5;
  const std::size_t train_rows = all.rows - test_rows;
  return prepare(pick(all, order, 0, train_rows), pick(all, order, train_rows, all.rows), "digits");
}

}  // namespace train
