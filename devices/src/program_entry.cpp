// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "program_entry.hpp"

#include <array>
#include <cstdint>
#include <cstring>

#include "private_files.hpp"

namespace hocket {

namespace {

constexpr std::array<char, 8> magic{'h', 'o', 'c', 'k', 'e', 't', 'P', '1'};

struct entry_header {
  std::array<char, 8> magic{};
  std::uint64_t key_bytes = 0;
  std::uint64_t program_bytes = 0;
  std::array<std::uint8_t, 16> digest{};  // of the key and the program
};

}  // namespace

std::string to_bytes(const program_entry& entry) {
  std::string bytes(sizeof(entry_header), '\0');
  bytes.append(entry.key).append(entry.program);
  entry_header header{magic, entry.key.size(), entry.program.size(), {}};
  const boost::uuids::uuid digest = digest_of(std::string_view(bytes).substr(sizeof header));
  std::memcpy(header.digest.data(), &digest, sizeof digest);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

std::optional<program_entry> parse_program_entry(std::string_view bytes) {
  entry_header header;
  if (bytes.size() < sizeof header) return {};
  std::memcpy(&header, bytes.data(), sizeof header);
  bytes.remove_prefix(sizeof header);
  if (header.magic != magic || header.key_bytes > bytes.size() ||
      header.program_bytes != bytes.size() - header.key_bytes) {
    return {};
  }
  const boost::uuids::uuid digest = digest_of(bytes);
  if (std::memcmp(&digest, header.digest.data(), sizeof digest) != 0) return {};
  return program_entry{bytes.substr(0, header.key_bytes), bytes.substr(header.key_bytes)};
}

}  // namespace hocket
