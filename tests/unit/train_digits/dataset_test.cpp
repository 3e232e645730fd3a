// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "dataset.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <hocket/core/environment.hpp>

#include "fixtures.hpp"

namespace train {
namespace {

namespace fs = std::filesystem;
using test::temporary_folder;

/// A folder of the real data that stand beside this checkout, if they do.
std::optional<fs::path> real_data(const std::string& name) {
  const auto folder = hocket::environment_variable("HOCKET_DATA_DIR");
  if (!folder || !fs::exists(fs::path(*folder) / name)) return std::nullopt;
  return fs::path(*folder) / name;
}

void expect_consistent(const dataset& data) {
  EXPECT_EQ(data.images.size(), data.rows * data.columns);
  EXPECT_EQ(data.labels.size(), data.rows);
  EXPECT_EQ(data.classes, 10U);
  for (const std::int32_t label : data.labels) {
    ASSERT_GE(label, 0);
    ASSERT_LT(label, 10);
  }
}

void expect_standardised(const dataset& data) {
  double sum = 0, squares = 0;
  for (const float pixel : data.images) {
    sum += pixel;
    squares += static_cast<double>(pixel) * static_cast<double>(pixel);
  }
  const auto count = static_cast<double>(data.images.size());
  EXPECT_NEAR(sum / count, 0, 1e-4);
  EXPECT_NEAR(squares / count, 1, 1e-4);
}

TEST(Dataset, Mnist) {
  temporary_folder made_up;
  test::put_small_mnist(made_up.path());
  const auto real = real_data("mnist");
  const split data = load_mnist(real ? *real : made_up.path());
  expect_consistent(data.train);
  expect_consistent(data.test);
  expect_standardised(data.train);
  EXPECT_EQ(data.train.rows, real ? 60000U : 20U);
  EXPECT_EQ(data.test.rows, real ? 10000U : 7U);
  EXPECT_EQ(data.train.columns, real ? 784U : 6U);
  EXPECT_EQ(data.description, real ? "MNIST: 60000 + 10000 digits of 784 pixels"
                                   : "MNIST: 20 + 7 digits of 6 pixels");
  EXPECT_EQ(data.train.labels[0], real ? 5 : 0);
  EXPECT_EQ(data.train.labels[1], real ? 0 : 1);
}

TEST(Dataset, PackedAndUnpackedFilesGiveTheSame) {
  temporary_folder packed, plain;
  test::put_small_mnist(packed.path());
  test::put(plain / "train-images-idx3-ubyte", test::idx_images(20, 3, 2));
  test::put(plain / "train-labels-idx1-ubyte", test::idx_labels(20));
  test::put(plain / "t10k-images-idx3-ubyte", test::idx_images(7, 3, 2));
  test::put(plain / "t10k-labels-idx1-ubyte", test::idx_labels(7));
  const split one = load_mnist(packed.path());
  const split other = load_mnist(plain.path());
  EXPECT_EQ(one.train.images, other.train.images);
  EXPECT_EQ(one.test.images, other.test.images);
  EXPECT_EQ(one.test.labels, other.test.labels);
  // The test part is scaled as the training part is.
  EXPECT_EQ(one.train.images[5], one.test.images[5]);
}

TEST(Dataset, Optdigits) {
  temporary_folder made_up;
  test::put(made_up / "optdigits.tra", test::csv_digits(30));
  test::put(made_up / "optdigits.tes", test::csv_digits(11));
  const auto real = real_data("optdigits");
  const split data = load_optdigits(real ? *real : made_up.path());
  expect_consistent(data.train);
  expect_consistent(data.test);
  expect_standardised(data.train);
  EXPECT_EQ(data.train.rows, real ? 3823U : 30U);
  EXPECT_EQ(data.test.rows, real ? 1797U : 11U);
}

TEST(Dataset, DigitsAreSplitTheSameWayEveryTime) {
  temporary_folder folder;
  const std::string text = test::csv_digits(100);
  test::put(folder / "digits.csv.gz", test::gzip(test::bytes(text.begin(), text.end())));
  const split data = load_digits(folder / "digits.csv.gz");
  expect_consistent(data.train);
  expect_consistent(data.test);
  EXPECT_EQ(data.train.rows, 80U);
  EXPECT_EQ(data.test.rows, 20U);
  EXPECT_EQ(data.train.labels, load_digits(folder / "digits.csv.gz").train.labels);
  std::array<int, 10> count{};
  for (const dataset* part : {&data.train, &data.test}) {
    for (const std::int32_t label : part->labels) ++count[static_cast<std::size_t>(label)];
  }
  for (const int each : count) EXPECT_EQ(each, 10);
}

TEST(Dataset, LinesMayEndAsOnOtherSystems) {
  temporary_folder folder;
  std::string text = test::csv_digits(10);
  test::put(folder / "unix.csv", text);
  std::string other;
  for (const char each : text) other += each == '\n' ? std::string("\r\n") : std::string(1, each);
  other.resize(other.size() - 2);
  test::put(folder / "other.csv", other);
  EXPECT_EQ(load_digits(folder / "unix.csv").train.images,
            load_digits(folder / "other.csv").train.images);
}

TEST(Dataset, ImagesOfOneColourAreLeftFinite) {
  temporary_folder folder;
  std::string text;
  for (int row = 0; row < 5; ++row) {
    for (int pixel = 0; pixel < 64; ++pixel) text += "0,";
    text += "3\n";
  }
  test::put(folder / "digits.csv", text);
  for (const float pixel : load_digits(folder / "digits.csv").train.images) EXPECT_EQ(pixel, 0);
}

}  // namespace
}  // namespace train
