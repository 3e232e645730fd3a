// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>
#include <random>
#include <string>

#include <hocket/core/error.hpp>

#include "dataset.hpp"
#include "files.hpp"
#include "fixtures.hpp"

namespace train {
namespace {

namespace fs = std::filesystem;
using test::bytes;
using test::message_of;
using test::temporary_folder;

/// MNIST in miniature of which one file is replaced.
class CorruptMnist : public testing::Test {
 protected:
  CorruptMnist() { test::put_small_mnist(folder_.path()); }

  std::string message_with(const std::string& name, const bytes& content) {
    test::put(folder_ / name, content);
    const std::string message = message_of([&] { static_cast<void>(load_mnist(folder_.path())); });
    EXPECT_NE(message.find(name), std::string::npos) << message;
    return message;
  }

  const temporary_folder folder_;
  const std::string images_ = "train-images-idx3-ubyte.gz";
  const std::string labels_ = "train-labels-idx1-ubyte.gz";
};

void expect_in(const std::string& message, std::initializer_list<std::string> parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << part << " is not in: " << message;
  }
}

/// To open a pipe would block until another process writes to it.
TEST_F(CorruptMnist, APipe) {
  fs::remove(folder_ / images_);
  ASSERT_EQ(::mkfifo((folder_ / images_).c_str(), 0600), 0);
  const std::string message = message_of([&] { static_cast<void>(load_mnist(folder_.path())); });
  expect_in(message, {images_, "no regular file"});
}

TEST_F(CorruptMnist, WrongMagicNumber) {
  bytes content = test::idx_images(20, 3, 2);
  content[3] = 1;
  expect_in(message_with(images_, content), {"magic number 0x00000801", "expected is 0x00000803"});
  expect_in(message_with(images_, bytes(100, 7)), {"0x07070707"});
}

TEST_F(CorruptMnist, SizesThatDoNotFit) {
  bytes content = test::idx_images(20, 3, 2);
  content.pop_back();
  expect_in(message_with(images_, content), {"has 135 bytes", "cut off", "expected are 136"});
  content.insert(content.end(), 2, 0);
  expect_in(message_with(images_, content), {"has 137 bytes", "expected are 136"});
  expect_in(message_with(images_, {}), {"has 0 bytes", "16"});
}

TEST_F(CorruptMnist, SizesThatOverflow) {
  bytes content = test::idx_images(20, 3, 2);
  for (std::size_t at = 4; at < 16; ++at) content[at] = 0xff;
  expect_in(message_with(images_, content), {"4294967295 x 4294967295 pixels"});
  content = test::idx_images(20, 3, 2);
  for (std::size_t at = 4; at < 8; ++at) content[at] = 0xff;
  expect_in(message_with(images_, content), {"has 136 bytes", "25769803786"});
}

TEST_F(CorruptMnist, CountsThatDoNotMatch) {
  expect_in(message_with(labels_, test::idx_labels(19)),
            {"has 19 labels", "expected are 20", images_});
}

TEST_F(CorruptMnist, ALabelThatIsNoDigit) {
  bytes content = test::idx_labels(20);
  content[8 + 13] = 10;
  expect_in(message_with(labels_, content), {"label 10 at entry 13", "0 to 9"});
}

TEST_F(CorruptMnist, NoEntries) {
  expect_in(message_with(images_, test::idx_images(0, 3, 2)), {"0 entries"});
}

TEST_F(CorruptMnist, TestPartOfAnotherSize) {
  expect_in(message_with("t10k-images-idx3-ubyte.gz", test::idx_images(7, 2, 2)),
            {"4 pixels", "expected are 6"});
}

TEST_F(CorruptMnist, PackedDataWithSomethingBehind) {
  bytes content = test::gzip(test::idx_images(20, 3, 2));
  content.insert(content.end(), 3, 0);
  expect_in(message_with(images_, content), {"3 bytes after the end"});
}

TEST_F(CorruptMnist, AMissingFile) {
  fs::remove(folder_ / labels_);
  expect_in(message_of([&] { static_cast<void>(load_mnist(folder_.path())); }),
            {labels_, "could not be opened", "No such file"});
  fs::create_directory(folder_ / labels_);
  expect_in(message_of([&] { static_cast<void>(load_mnist(folder_.path())); }),
            {labels_, "is a folder"});
}

TEST(CorruptFile, MayNotUnpackWithoutEnd) {
  temporary_folder folder;
  test::put(folder / "zeros.gz", test::gzip(bytes(100000, 0)));
  EXPECT_EQ(read_file(folder / "zeros.gz", 100000).size(), 100000U);
  expect_in(message_of([&] { static_cast<void>(read_file(folder / "zeros.gz", 99999)); }),
            {"zeros.gz", "unpacks to more than 99999 bytes"});
}

/// Loads whatever stands in the file: success or a good message, nothing else.
bool loads_or_explains(const fs::path& file, const bytes& content,
                       const std::function<void()>& load) {
  test::put(file, content);
  try {
    load();
    return true;
  } catch (const hocket::error& problem) {
    const std::string message = problem.what();
    EXPECT_NE(message.find(file.filename().string()), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return false;
  }
}

/// Cuts content off everywhere and changes each of its bytes in several ways. Returns how many of
/// the changed ones could be loaded; none that was cut off may be.
std::size_t torture(const fs::path& file, const bytes& content, std::size_t step,
                    const std::function<void()>& load) {
  for (std::size_t length = 0; length < content.size(); length += step) {
    const bytes part(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_FALSE(loads_or_explains(file, part, load)) << length;
  }
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  std::size_t loaded = 0;
  for (std::size_t at = 0; at < content.size(); at += step) {
    for (const unsigned flip : {0x01U, 0x80U, 0xffU, 1 + static_cast<unsigned>(random() % 255)}) {
      bytes changed = content;
      changed[at] = static_cast<std::uint8_t>(changed[at] ^ flip);
      loaded += loads_or_explains(file, changed, load) ? 1 : 0;
    }
  }
  EXPECT_TRUE(loads_or_explains(file, content, load));
  return loaded;
}

TEST_F(CorruptMnist, NoCutAndNoChangedByteIsACrash) {
  const auto load = [&] { static_cast<void>(load_mnist(folder_.path())); };
  // Of plain images every pixel may change, of plain labels some bits.
  EXPECT_GT(torture(folder_ / images_, test::idx_images(20, 3, 2), 1, load), 400U);
  EXPECT_LT(torture(folder_ / labels_, test::idx_labels(20), 1, load), 60U);
}

TEST_F(CorruptMnist, NoDamageToPackedDataIsACrash) {
  const auto load = [&] { static_cast<void>(load_mnist(folder_.path())); };
  const bytes packed = test::gzip(test::idx_images(20, 3, 2));
  // The checksum of gzip covers the data; only parts of its header mean nothing.
  EXPECT_LE(torture(folder_ / images_, packed, 1, load), 4 * 10U);
}

TEST(CorruptCsv, SaysWhereAndWhat) {
  temporary_folder folder;
  const fs::path file = folder / "digits.csv";
  const std::string good = test::csv_digits(5);
  const auto message_with = [&](const std::string& text) {
    test::put(file, text);
    return message_of([&] { static_cast<void>(load_digits(file)); });
  };
  expect_in(message_with("17" + good.substr(1)), {"\"17\"", "column 1", "line 1", "0 to 16"});
  expect_in(message_with("banana" + good.substr(1)), {"\"banana\"", "line 1"});
  expect_in(message_with("-1" + good.substr(1)), {"\"-1\""});
  expect_in(message_with(good + "1,2,3\n"), {"3 columns in line 6", "expected are 65"});
  expect_in(message_with("0," + good), {"column 65 of line 1"});
  expect_in(message_with(good.substr(0, good.size() - 1) + ",0\n"), {"66 columns in line 5"});
  expect_in(message_with(good + "\n"), {"\"\"", "line 6"});
  expect_in(message_with(""), {"0 lines"});
  expect_in(message_with(std::string(1, '\0') + std::string(100, 'x')), {"\"?xxxx", "...\""});
}

TEST(CorruptCsv, NoChangedByteIsACrash) {
  temporary_folder folder;
  const std::string text = test::csv_digits(3);
  const fs::path file = folder / "digits.csv";
  const auto load = [&] { static_cast<void>(load_digits(file)); };
  const bytes content(text.begin(), text.end());
  for (std::size_t length = 0; length < content.size(); ++length) {
    const bytes part(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(length));
    loads_or_explains(file, part, load);
  }
  for (std::size_t at = 0; at < content.size(); ++at) {
    bytes changed = content;
    changed[at] ^= 0xff;
    EXPECT_FALSE(loads_or_explains(file, changed, load)) << at;
  }
}

}  // namespace
}  // namespace train
