// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "files.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include <fmt/format.h>

namespace train {

namespace fs = std::filesystem;

namespace {

/// By how much a buffer grows: small for small files, in few steps for large ones.
std::size_t next_step(std::size_t size) {
  return std::clamp(size, std::size_t{1} << 12, std::size_t{1} << 25);
}

std::vector<std::uint8_t> read_packed(const fs::path& path, std::size_t limit) {
  std::error_code problem;
  const fs::file_status found = fs::status(path, problem);
  if (fs::is_directory(found)) throw file_error(path, "is a folder; it must be a file");
  // To open a pipe blocks until another process writes to it.
  if (fs::exists(found) && !fs::is_regular_file(found)) {
    throw file_error(path, "is no regular file");
  }
  const open_file file(std::fopen(path.c_str(), "rb"));
  if (!file) throw file_error(path, fmt::format("could not be opened: {}", std::strerror(errno)));
  std::vector<std::uint8_t> bytes;
  std::size_t got = 0;
  do {
    const std::size_t size = bytes.size();
    if (size > limit) throw file_error(path, fmt::format("has more than {} bytes", limit));
    bytes.resize(size + next_step(size));
    got = std::fread(bytes.data() + size, 1, bytes.size() - size, file.get());
    bytes.resize(size + got);
  } while (got > 0);
  if (std::ferror(file.get()) != 0) {
    throw file_error(path, fmt::format("could not be read: {}", std::strerror(errno)));
  }
  return bytes;
}

bool is_gzip(const std::vector<std::uint8_t>& bytes) {
  return bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

/// The state of zlib's unpacking, over bytes that outlive it.
class unpacker {
 public:
  explicit unpacker(std::vector<std::uint8_t>& packed) {
    stream_.next_in = packed.data();
    stream_.avail_in = static_cast<uInt>(packed.size());
    constexpr int largest_window_of_gzip = 15 + 16;
    if (inflateInit2(&stream_, largest_window_of_gzip) != Z_OK) throw std::bad_alloc();
  }
  ~unpacker() { inflateEnd(&stream_); }
  unpacker(const unpacker&) = delete;
  unpacker& operator=(const unpacker&) = delete;

  /// Unpacks into [target, target + size) and returns zlib's answer.
  int step(std::uint8_t* target, std::size_t size) {
    stream_.next_out = target;
    stream_.avail_out = static_cast<uInt>(size);
    return inflate(&stream_, Z_NO_FLUSH);
  }
  [[nodiscard]] std::size_t room_left() const { return stream_.avail_out; }
  [[nodiscard]] std::size_t input_left() const { return stream_.avail_in; }
  [[nodiscard]] const char* complaint() const {
    return stream_.msg != nullptr ? stream_.msg : "unknown reason";
  }

 private:
  z_stream stream_{};
};

}  // namespace

std::vector<std::uint8_t> read_file(const fs::path& path, std::size_t limit) {
  return unpacked(path, read_packed(path, limit), limit);
}

std::vector<std::uint8_t> unpacked(const fs::path& path, std::vector<std::uint8_t> packed,
                                   std::size_t limit) {
  if (!is_gzip(packed)) return packed;
  unpacker from(packed);
  std::vector<std::uint8_t> bytes;
  for (int answer = Z_OK; answer != Z_STREAM_END;) {
    const std::size_t size = bytes.size();
    bytes.resize(size + std::min(next_step(size), limit + 1 - size));
    answer = from.step(bytes.data() + size, bytes.size() - size);
    bytes.resize(bytes.size() - from.room_left());
    if (bytes.size() > limit) {
      throw file_error(path, fmt::format("unpacks to more than {} bytes", limit));
    }
    if (answer == Z_BUF_ERROR) {
      throw file_error(path, fmt::format("is cut off: its packed data do not end within its {} "
                                         "bytes",
                                         packed.size()));
    }
    if (answer != Z_OK && answer != Z_STREAM_END) {
      throw file_error(path, fmt::format("is corrupt: unpacking says \"{}\"", from.complaint()));
    }
  }
  if (from.input_left() != 0) {
    throw file_error(path, fmt::format("has {} bytes after the end of its packed data; 0 are "
                                       "expected",
                                       from.input_left()));
  }
  return bytes;
}

folder_guard::folder_guard(const fs::path& folder) {
  for (fs::path at = absolute_path(folder); !is_there(at); at = at.parent_path()) {
    created_.push_back(at);
  }
  make_folders(folder);
}

folder_guard::~folder_guard() {
  std::error_code not_empty;
  for (const fs::path& folder : created_) fs::remove(folder, not_empty);
}

}  // namespace train
