// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "raw_digits.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include <hocket/core/printable.hpp>

#include "files.hpp"

namespace train {

namespace fs = std::filesystem;

namespace {

using bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t images_magic = 0x00000803;
constexpr std::uint32_t labels_magic = 0x00000801;
constexpr std::uint32_t max_pixels_of_a_side = 4096;

std::uint32_t big_endian(const bytes& content, std::size_t at) {
  return std::uint32_t{content[at]} << 24 | std::uint32_t{content[at + 1]} << 16 |
         std::uint32_t{content[at + 2]} << 8 | std::uint32_t{content[at + 3]};
}

/// Checks what both kinds of IDX file begin with, and returns the number of entries.
std::uint32_t check_header(const fs::path& path, const bytes& content, std::uint32_t magic,
                           std::size_t header) {
  if (content.size() < header) {
    throw file_error(path,
                     fmt::format("has {} bytes; its header alone has {}", content.size(), header));
  }
  const std::uint32_t found = big_endian(content, 0);
  if (found != magic) {
    throw file_error(
        path,
        fmt::format("begins with the magic number 0x{:08x}; expected is 0x{:08x}", found, magic));
  }
  const std::uint32_t count = big_endian(content, 4);
  if (count == 0) throw file_error(path, "has 0 entries; at least 1 is expected");
  return count;
}

void check_size(const fs::path& path, const bytes& content, std::uint64_t expected,
                std::uint32_t entries) {
  if (content.size() != expected) {
    throw file_error(
        path, fmt::format("has {} bytes{}; expected are {} for its {} entries", content.size(),
                          content.size() < expected ? ", it is cut off" : "", expected, entries));
  }
}

void check_label(const fs::path& path, std::size_t entry, unsigned label) {
  if (label >= digit_classes) {
    throw file_error(path, fmt::format("has the label {} at entry {}; expected are 0 to {}", label,
                                       entry, digit_classes - 1));
  }
}

void parse_images(const fs::path& path, bytes content, raw_digits& into) {
  constexpr std::size_t header = 16;
  const std::uint32_t count = check_header(path, content, images_magic, header);
  const std::uint32_t height = big_endian(content, 8);
  const std::uint32_t width = big_endian(content, 12);
  for (const std::uint32_t side : {height, width}) {
    if (side == 0 || side > max_pixels_of_a_side) {
      throw file_error(path, fmt::format("has images of {} x {} pixels; expected are 1 to {} on "
                                         "each side",
                                         height, width, max_pixels_of_a_side));
    }
  }
  // At most 2^32 x 2^24: no overflow.
  const std::uint64_t pixels = std::uint64_t{height} * width;
  check_size(path, content, header + count * pixels, count);
  content.erase(content.begin(), content.begin() + header);
  into.rows = count;
  into.columns = pixels;
  into.largest_pixel = 255;
  into.pixels = std::move(content);
}

void parse_labels(const fs::path& path, bytes content, const fs::path& images, raw_digits& into) {
  constexpr std::size_t header = 8;
  const std::uint32_t count = check_header(path, content, labels_magic, header);
  check_size(path, content, header + std::uint64_t{count}, count);
  if (count != into.rows) {
    throw file_error(path, fmt::format("has {} labels; expected are {}, the number of images in "
                                       "\"{}\"",
                                       count, into.rows, images.string()));
  }
  content.erase(content.begin(), content.begin() + header);
  for (std::size_t entry = 0; entry < content.size(); ++entry) {
    check_label(path, entry, content[entry]);
  }
  into.labels = std::move(content);
}

/// Reads one line of a CSV file.
void read_line(const fs::path& path, std::size_t number, std::string_view line, raw_digits& into) {
  constexpr unsigned largest_pixel = 16;
  constexpr std::size_t shown = 20;
  std::size_t fields = 0;
  for (const char* at = line.data(); at != nullptr; ++fields) {
    const char* end = line.data() + line.size();
    const char* comma = std::find(at, end, ',');
    const std::string_view text(at, static_cast<std::size_t>(comma - at));
    const bool is_label = fields == into.columns;
    const unsigned largest = is_label ? unsigned{digit_classes - 1} : largest_pixel;
    unsigned value = 0;
    const auto [stop, problem] = std::from_chars(at, comma, value);
    if (problem != std::errc() || stop != comma || value > largest) {
      throw file_error(path,
                       fmt::format("has {} in column {} of line {}; expected is a whole "
                                   "number from 0 to {}",
                                   hocket::in_quotes(text, shown), fields + 1, number, largest));
    }
    if (fields <= into.columns) {
      (is_label ? into.labels : into.pixels).push_back(static_cast<std::uint8_t>(value));
    }
    at = comma == end ? nullptr : comma + 1;
  }
  if (fields != into.columns + 1) {
    throw file_error(path, fmt::format("has {} columns in line {}; expected are {}", fields, number,
                                       into.columns + 1));
  }
}

}  // namespace

raw_digits parse_idx(file_content images, file_content labels) {
  raw_digits digits;
  parse_images(images.path, std::move(images.bytes), digits);
  parse_labels(labels.path, std::move(labels.bytes), images.path, digits);
  return digits;
}

raw_digits read_idx(const fs::path& images, const fs::path& labels) {
  return parse_idx({images, read_file(images)}, {labels, read_file(labels)});
}

raw_digits read_csv(const fs::path& path) { return parse_csv({path, read_file(path)}); }

raw_digits parse_csv(const file_content& of) {
  const auto& [path, content] = of;
  raw_digits digits;
  digits.columns = 64;
  digits.largest_pixel = 16;
  std::string_view rest(reinterpret_cast<const char*>(content.data()), content.size());
  while (!rest.empty()) {
    const std::size_t length = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, length);
    rest.remove_prefix(std::min(length + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    read_line(path, ++digits.rows, line, digits);
  }
  if (digits.rows < 2) {
    throw file_error(path, fmt::format("has {} lines; at least 2 are expected", digits.rows));
  }
  return digits;
}

}  // namespace train
