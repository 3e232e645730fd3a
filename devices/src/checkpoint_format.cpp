// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// A checkpoint is, in the order of bytes of x86 and AArch64:
//   head    the name of the format (8 bytes), u64 bytes of the file, u64 bytes of the table,
//           u64 checksum of these two numbers and of the table
//   table   u64 texts of the position, for each: text name, text value
//           u64 arrays, for each: text name, u64 type, u64 rank, u64 for each extent, u64 checksum
//   arrays  one after the other, row by row
// A text is u64 bytes and the bytes.

#include "checkpoint_format.hpp"

#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "crc64.hpp"

namespace hocket {

namespace {

static_assert(std::endian::native == std::endian::little,
              "Checkpoints are written in the order of bytes of the machine, which has to be the "
              "same everywhere.");

constexpr std::string_view format_name = "hocketK1";
constexpr std::size_t size_of_number = sizeof(std::uint64_t);
constexpr std::size_t begin_of_sizes = format_name.size();
constexpr std::size_t begin_of_checksum = begin_of_sizes + 2 * size_of_number;
static_assert(bytes_of_checkpoint_head == begin_of_checksum + size_of_number);

std::uint64_t checksum_of(const void* bytes, std::size_t count) {
  crc64 sum;
  sum.add(bytes, count);
  return sum.value();
}

/// The checksum of the sizes in the head and of the table.
std::uint64_t checksum_of_table(std::string_view head, std::string_view table) {
  crc64 sum;
  sum.add(head.data() + begin_of_sizes, begin_of_checksum - begin_of_sizes);
  sum.add(table.data(), table.size());
  return sum.value();
}

void append_number(std::string& to, std::uint64_t number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append_text(std::string& to, std::string_view text) {
  append_number(to, text.size());
  to.append(text);
}

std::uint64_t number_at(std::string_view bytes, std::size_t at) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

/// Takes numbers and texts from the begin of some bytes; nothing where there are too few.
class table_reader {
 public:
  explicit table_reader(std::string_view table) : left_(table) {}

  [[nodiscard]] std::optional<std::uint64_t> number() {
    if (left_.size() < size_of_number) return {};
    const std::uint64_t made = number_at(left_, 0);
    left_.remove_prefix(size_of_number);
    return made;
  }

  [[nodiscard]] std::optional<std::string> text() {
    const auto size = number();
    if (!size || *size > left_.size()) return {};
    std::string made(left_.substr(0, *size));
    left_.remove_prefix(*size);
    return made;
  }

  /// As many numbers as the next one says.
  [[nodiscard]] std::optional<index_list> extents() {
    const auto rank = number();
    if (!rank || *rank > left_.size() / size_of_number) return {};
    index_list made(*rank);
    for (std::size_t& each : made) each = *number();
    return made;
  }

  [[nodiscard]] bool at_end() const noexcept { return left_.empty(); }

 private:
  std::string_view left_;
};

struct array_entry {
  checkpoint_array array;
  std::uint64_t bytes = 0;
  std::uint64_t sum = 0;
};

std::optional<array_entry> next_entry(table_reader& table) {
  auto name = table.text();
  const auto type = table.number();
  auto extents = table.extents();
  const auto sum = table.number();
  if (!name || !type || !extents || !sum) return {};
  if (!is_element_type(*type)) return {};
  const auto of = static_cast<element_type>(*type);
  std::uint64_t bytes = size_of(of);
  for (const std::size_t extent : *extents) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return {};
  }
  return array_entry{{*std::move(name), of, *std::move(extents), {}}, bytes, *sum};
}

bool add_position(table_reader& table, checkpoint_position& to) {
  const auto count = table.number();
  if (!count) return false;
  for (std::uint64_t i = 0; i < *count; ++i) {
    auto name = table.text();
    auto value = table.text();
    if (!name || !value || !to.emplace(*std::move(name), *std::move(value)).second) return false;
  }
  return true;
}

failure damaged(const std::string& what) {
  return {failure_code::io, "The checkpoint is damaged: " + what + "."};
}

}  // namespace

std::string checkpoint_front(const checkpoint_position& position,
                             std::span<const checkpoint_array> arrays) {
  std::string table;
  std::uint64_t bytes = bytes_of_checkpoint_head;
  append_number(table, position.size());
  for (const auto& [name, value] : position) {
    append_text(table, name);
    append_text(table, value);
  }
  append_number(table, arrays.size());
  for (const checkpoint_array& each : arrays) {
    append_text(table, each.name);
    append_number(table, static_cast<std::uint64_t>(each.type));
    append_number(table, each.extents.size());
    for (const std::size_t extent : each.extents) append_number(table, extent);
    append_number(table, checksum_of(each.bytes.data(), each.bytes.size()));
    bytes += each.bytes.size();
  }
  std::string front(format_name);
  append_number(front, bytes + table.size());
  append_number(front, table.size());
  append_number(front, checksum_of_table(front, table));
  return front + table;
}

failure check_checkpoint_head(std::string_view head, std::uint64_t bytes_of_file) {
  if (head.size() < bytes_of_checkpoint_head || !head.starts_with(format_name)) {
    return damaged("it does not begin as checkpoints of this version do");
  }
  const std::uint64_t written = number_at(head, begin_of_sizes);
  if (written == bytes_of_file) return {};
  return damaged("it has " + std::to_string(bytes_of_file) + " bytes, and " +
                 std::to_string(written) + " were written");
}

result<checkpoint_content> parse_checkpoint(std::string_view file) {
  if (const failure why = check_checkpoint_head(file, file.size())) return why;
  std::string_view arrays = file.substr(bytes_of_checkpoint_head);
  const std::uint64_t table_bytes = number_at(file, begin_of_sizes + size_of_number);
  if (table_bytes > arrays.size()) return damaged("its table of contents is cut off");
  const std::string_view entries = arrays.substr(0, table_bytes);
  arrays.remove_prefix(table_bytes);
  if (checksum_of_table(file, entries) != number_at(file, begin_of_checksum)) {
    return damaged("the checksum of its table of contents is wrong");
  }
  table_reader table(entries);
  checkpoint_content made;
  const auto wrong = [] { return damaged("its table of contents makes no sense"); };
  if (!add_position(table, made.position)) return wrong();
  const auto count = table.number();
  if (!count) return wrong();
  for (std::uint64_t i = 0; i < *count; ++i) {
    auto entry = next_entry(table);
    if (!entry || entry->bytes > arrays.size()) return wrong();
    if (checksum_of(arrays.data(), entry->bytes) != entry->sum) {
      return damaged("the checksum of \"" + entry->array.name + "\" is wrong");
    }
    entry->array.bytes = std::as_bytes(std::span(arrays.data(), entry->bytes));
    arrays.remove_prefix(entry->bytes);
    made.arrays.push_back(std::move(entry->array));
  }
  if (!table.at_end() || !arrays.empty()) return wrong();
  return made;
}

}  // namespace hocket
