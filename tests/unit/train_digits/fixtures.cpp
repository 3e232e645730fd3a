// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "fixtures.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <fstream>
#include <iterator>

#include <hocket/core/error.hpp>

namespace train::test {

namespace fs = std::filesystem;

namespace {

void append_big_endian(bytes& to, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) to.push_back(static_cast<std::uint8_t>(value >> shift));
}

template <class Error>
std::string caught(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& problem) {
    const std::string message = problem.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_TRUE(message.ends_with('.')) << message;
    return message;
  }
  ADD_FAILURE() << "Nothing was thrown.";
  return {};
}

}  // namespace

temporary_folder::temporary_folder() {
  std::string name = (fs::temp_directory_path() / "train_digits_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void put(const fs::path& file, const bytes& content) {
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(content.data()),
            static_cast<std::streamsize>(content.size()));
}

void put(const fs::path& file, std::string_view content) {
  put(file, bytes(content.begin(), content.end()));
}

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bytes gzip(const bytes& content) {
  z_stream stream{};
  constexpr int gzip_window = 15 + 16;
  EXPECT_EQ(
      deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY),
      Z_OK);
  bytes source = content;
  bytes packed(deflateBound(&stream, source.size()) + 64);
  stream.next_in = source.data();
  stream.avail_in = static_cast<uInt>(source.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  deflateEnd(&stream);
  return {packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(stream.total_out)};
}

bytes idx_images(std::uint32_t count, std::uint32_t height, std::uint32_t width) {
  bytes content;
  for (const std::uint32_t value : {0x803U, count, height, width}) {
    append_big_endian(content, value);
  }
  for (std::uint32_t image = 0; image < count; ++image) {
    for (std::uint32_t pixel = 0; pixel < height * width; ++pixel) {
      content.push_back(static_cast<std::uint8_t>(image + pixel));
    }
  }
  return content;
}

bytes idx_labels(std::uint32_t count) {
  bytes content;
  append_big_endian(content, 0x801);
  append_big_endian(content, count);
  for (std::uint32_t image = 0; image < count; ++image) {
    content.push_back(static_cast<std::uint8_t>(image % 10));
  }
  return content;
}

void put_small_mnist(const fs::path& folder) {
  fs::create_directories(folder);
  put(folder / "train-images-idx3-ubyte.gz", gzip(idx_images(20, 3, 2)));
  put(folder / "train-labels-idx1-ubyte.gz", gzip(idx_labels(20)));
  put(folder / "t10k-images-idx3-ubyte.gz", gzip(idx_images(7, 3, 2)));
  put(folder / "t10k-labels-idx1-ubyte.gz", gzip(idx_labels(7)));
}

std::string csv_digits(std::size_t rows) {
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t pixel = 0; pixel < 64; ++pixel) {
      text += std::to_string((row + pixel) % 17) + ",";
    }
    text += std::to_string(row % 10) + "\n";
  }
  return text;
}

std::string message_of(const std::function<void()>& call) { return caught<hocket::error>(call); }

std::string usage_message_of(const std::function<void()>& call) {
  return caught<hocket::usage_error>(call);
}

}  // namespace train::test
